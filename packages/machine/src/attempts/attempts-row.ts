/** A group of attempts as pages see it. */
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import type { AttemptTable, StoredAttempt, StoredAttempts } from '@tugdeck/store/attempt-table';
import type { Preference } from '../agents/preferences.ts';
import { short } from '../workspaces/base.ts';

/** Older groups are not listed; their sessions and workspaces are. */
const MAX_LISTED = 100;

export function toAttemptsRow({ id, project, title, members, ...group }: StoredAttempts): AttemptsRow {
  const { baseRef, baseCommit, createdAt, chosen } = group;
  return {
    ...{ id, project, title, baseCommit, createdAt },
    ...(baseRef === undefined ? {} : { base: short(baseRef) }),
    ...(chosen === undefined ? {} : { chosen }),
    attempts: members.map(({ session, workspace, agent, model, isBegun, fault }) => ({
      ...{ session, workspace, agent },
      ...(model === undefined ? {} : { model }),
      ...(isBegun ? {} : { isWaiting: true }),
      ...(fault === undefined ? {} : { fault }),
    })),
  };
}

/** Groups that still have a session, or are being started. */
export function listedAttempts(
  table: Pick<AttemptTable, 'list'>,
  isListed: (session: string) => boolean,
): AttemptsRow[] {
  return table
    .list()
    .filter(({ op, members }) => op?.kind === 'start' || members.some(({ session }) => isListed(session)))
    .slice(-MAX_LISTED)
    .map(toAttemptsRow);
}

/** Mode and model that were chosen for a session. */
export function attemptChoice(table: Pick<AttemptTable, 'list'>, session: string): Preference {
  const { model, mode } = attemptOf(table, session)?.member ?? {};
  return { ...(model === undefined ? {} : { model }), ...(mode === undefined ? {} : { mode }) };
}

/** The attempt that a session is, with its group. */
export function attemptOf(
  table: Pick<AttemptTable, 'list'>,
  session: string,
): { readonly group: StoredAttempts; readonly member: StoredAttempt } | undefined {
  for (const group of table.list().reverse()) {
    const member = group.members.find((one) => one.session === session);
    if (member) return { group, member };
  }
  return undefined;
}
