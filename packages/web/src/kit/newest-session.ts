/** The session that "continue" resumes (A6): the newest of a project with an agent, including external ones. Pure. */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { isUnstarted } from './projects.ts';

export function newestSession(
  deck: Pick<Deck, 'sessions'>,
  project: string | undefined,
  agent: string | undefined,
): SessionRow | undefined {
  let newest: SessionRow | undefined;
  for (const row of deck.sessions) {
    const isOne =
      row.project === project &&
      row.agent === agent &&
      !row.archived &&
      row.trashedAt === undefined &&
      !isUnstarted(row);
    if (isOne && (!newest || row.activeAt > newest.activeAt)) newest = row;
  }
  return newest;
}
