/** Attempts (B37), on top of workspaces, sessions and reviews. */
import { Attempts } from '../attempts/attempts.ts';
import type { Context } from './context.ts';
import type { Processes } from './processes.ts';
import type { ProjectServices } from './project-services.ts';
import type { Published } from './published.ts';
import type { Records } from './records.ts';

export function createAttempts(
  { store, data, log, now, closing }: Context,
  { sessions, workspaces }: Records,
  { pool }: Processes,
  { deck, firstPrompts }: Published,
  { attemptTrees }: ProjectServices,
) {
  const attempts = closing.add(
    new Attempts({
      ...{ table: store.attempts, data, sessions, workspaces, firstPrompts, log, now },
      shared: workspaces.shared,
      releaseHost: (session) => pool.release(session),
      keepFiles: (session) => attemptTrees.keep(session),
      changed: (session) => deck.rowChanged(session),
      listChanged: () => deck.publishHead(),
    }),
  );
  return { attempts };
}
