/** Sessions in the store (L6), found by id or by the start of one. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Context } from '../commands/context.ts';
import { hasStore, withStore } from './store-services.ts';

export interface ListedSession extends SessionRow {
  readonly directory: string;
}

/** Newest activity first. */
export async function listSessions(context: Context): Promise<ListedSession[]> {
  if (!hasStore(context)) return [];
  return withStore(context, ({ projects, sessions, workspaceFolder }) => {
    const paths = new Map(projects.list().map(({ id, path }) => [id, path]));
    const folder = ({ project, workspace }: SessionRow) =>
      workspace === undefined ? paths.get(project) : workspaceFolder(workspace);
    return sessions.list().map((row) => ({ ...row, directory: folder(row) ?? '' }));
  });
}

/** The default target for `send`: the newest session in the directory that is not archived or in the trash. */
export function newestIn(sessions: readonly ListedSession[], directory: string): ListedSession | undefined {
  return sessions.find((one) => one.directory === directory && !one.archived && one.trashedAt === undefined);
}

export async function findSession(context: Context, typed: string): Promise<ListedSession> {
  return onlyOne(await sessionsLike(context, typed), typed);
}

export async function sessionsLike(context: Context, typed: string): Promise<ListedSession[]> {
  return (await listSessions(context)).filter(({ id }) => typed !== '' && id.startsWith(typed));
}

export function onlyOne<T extends ListedSession>(found: readonly T[], typed: string): T {
  const [only] = found;
  if (only && found.length === 1) return only;
  if (only) throw new CodedError('SESSION_NOT_FOUND', `Several session ids start with ${typed}.`);
  throw new CodedError(
    'SESSION_NOT_FOUND',
    `Session ${typed} not found.`,
    'List sessions with: tugdeck sessions list',
  );
}
