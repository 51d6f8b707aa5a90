/** Routes notifications between services that do not know each other. */
import type { Channels } from '../channels/channels.ts';
import { ExternalTurns } from '../reader/external-turns.ts';
import type { Context } from './context.ts';
import type { Processes } from './processes.ts';
import type { Published } from './published.ts';
import type { Reading } from './reading.ts';
import type { Records } from './records.ts';

export function routeNotifications(
  { log }: Context,
  { agents, sessions, workspaces, configuration }: Records,
  { pool }: Processes,
  { external, reader, running, own }: Reading,
  { deck, finalSummaries, channels }: Published,
): void {
  configuration.subscribe(() => {
    agents.configure(configuration.current);
    pool.slots.limitsChanged();
    deck.publishHead();
  });
  workspaces.subscribe(() => {
    external.projectsChanged();
    deck.publishHead();
  });
  sessions.onOwned((agentSession) => {
    const row = external.find(agentSession);
    if (row) deck.rowsChanged([row.id]);
  });
  const externalTurns = new ExternalTurns(pool, (session) => channels.isOpen(session), log);
  reader.subscribe({
    sessions: (rows, gone) => {
      external.update(rows, gone);
      deck.rowsChanged([...rows.map(({ id }) => id), ...gone]);
    },
    externalTurn: (session) => externalTurns.turnCompleted(session),
  });
  pool.subscribe({
    started: (session) => deck.rowChanged(session),
    summary: (session, summary) => {
      if (!sessions.recordSummary(session, summary)) return;
      deck.rowChanged(session);
      const wasRunning = running.has(session);
      if (summary.turn === 'idle') running.delete(session);
      else running.add(session);
      if (summary.turn === 'idle') deck.turnEnded(session);
      if (summary.turn === 'idle' || !wasRunning) reader.own(own.get(session));
    },
    ended: (session) => {
      running.delete(session);
      void finalSummaries.publish(session);
    },
    listed: (session, listed) => {
      const { agent } = sessions.row(session);
      deck.rowsChanged(external.updateListed(agent, listed));
    },
  });
  const hostChanged: Channels['hostChanged'] = (session, fault) => channels.hostChanged(session, fault);
  pool.subscribe({ started: hostChanged, ended: hostChanged });
}
