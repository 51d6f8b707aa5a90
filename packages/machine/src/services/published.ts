/** What pages follow: the deck's rows and the channels of sessions. */
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { listedAttempts } from '../attempts/attempts-row.ts';
import { Channels } from '../channels/channels.ts';
import { ProjectBranches } from '../projects/project-branches.ts';
import { DeckService } from '../sessions/deck-service.ts';
import { FinalSummaries } from '../sessions/final-summaries.ts';
import { FirstPrompts } from '../sessions/first-prompts.ts';
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
  const firstPrompts: FirstPrompts = closing.add(
    new FirstPrompts({
      ...{ data, hosts: pool, log },
      connectMs: timings.hostStartMs,
      changed: (session, isPending) => {
        sessions.markPending(session, isPending);
        deck.rowChanged(session);
      },
      failed: (session, text) => {
        sessions.setFallbackTitle(session, '');
        if (!context.store.drafts.all()[session]) context.store.drafts.save(session, text, now());
      },
    }),
  );
  const branches = closing.add(new ProjectBranches({ changed: () => deck.branchesChanged(), log }));
  const deck: DeckService = closing.add(
    new DeckService({
      ...{
        projects,
        branches,
        sessions,
        workspaces,
        external,
        adoption,
        agents,
        environment,
        now,
        preferences,
        limits,
        firstPrompts,
      },
      machine: context.id,
      attempts: () =>
        listedAttempts(context.store.attempts, (session) => sessions.find(session) !== undefined),
      trustChanged: (changed) => endIdle(({ project }) => changed.includes(project)),
      endHost: (session) => pool.end(session),
      releaseHost: (session) => pool.release(session),
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
  return { deck, branches, firstPrompts, finalSummaries, channels };
}
