/** What pages follow: the deck's rows and the channels of sessions. */
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { Channels } from '../channels/channels.ts';
import { DeckService } from '../sessions/deck-service.ts';
import { FinalSummaries } from '../sessions/final-summaries.ts';
import type { Context } from './context.ts';
import type { Processes } from './processes.ts';
import type { Reading } from './reading.ts';
import type { Records } from './records.ts';

export type Published = ReturnType<typeof createPublished>;

export function createPublished(context: Context, records: Records, processes: Processes, reading: Reading) {
  const { data, environment, timings, log, now, closing } = context;
  const { projects, sessions, workspaces, agents, preferences, limits, live } = records;
  const { pool, endIdle } = processes;
  const { external, adoption, reader, own } = reading;
  const deck = closing.add(
    new DeckService({
      ...{
        projects,
        sessions,
        workspaces,
        external,
        adoption,
        agents,
        environment,
        now,
        preferences,
        limits,
      },
      machine: context.id,
      trustChanged: (changed) => endIdle(({ project }) => changed.includes(project)),
      endHost: (session) => pool.end(session),
      startHost: (session) =>
        void pool
          .ensure(session)
          .catch((error: unknown) => log.warn('host not started', { session, ...reportOf(error) })),
    }),
  );
  const finalSummaries = closing.add(
    new FinalSummaries({
      ...{ data, sessions, log },
      isLive: (session) => live.has(session),
      published: (session) => {
        deck.rowChanged(session);
        reader.own(own.get(session));
      },
    }),
  );
  const channels = new Channels({
    ...{ data, sessions, external, adoption, reader, log },
    hosts: pool,
    connectMs: timings.hostStartMs,
  });
  return { deck, finalSummaries, channels };
}
