/** A workspace's row as pages see it, and whether it can be used. */
import { existsSync } from 'node:fs';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Landed } from '@tugdeck/protocol/workspaces/landing';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { short } from './base.ts';
import { directoryOf } from './environment.ts';
import { firstPort } from './ports.ts';

export function assertUsable(row: StoredWorkspace): void {
  const { state, fault } = toRow(row);
  switch (state) {
    case 'ready':
      return;
    case 'failed':
      throw new CodedError(
        'WORKSPACE_MISSING',
        `This workspace could not be created: ${fault ?? 'unknown error'}`,
      );
    case 'missing':
      throw new CodedError('WORKSPACE_MISSING', `${row.path} was deleted.`);
    case 'archived':
      throw new CodedError('WORKSPACE_MISSING', 'This workspace is archived.', 'Restore it to continue.');
    case 'emptied':
      throw new CodedError('WORKSPACE_MISSING', 'The archive of this workspace was deleted.');
    default:
      throw busy(row);
  }
}

const DOING: Readonly<Record<string, string>> = {
  creating: 'being created',
  archiving: 'being archived',
  restoring: 'being restored',
};

export function busy({ state }: StoredWorkspace): CodedError {
  const doing = DOING[state] ?? 'busy';
  return new CodedError('WORKSPACE_BUSY', `This workspace is ${doing}.`, 'Wait until it is done.');
}

export function toRow(row: StoredWorkspace): WorkspaceRow {
  const { id, project, name, state, branch, baseRef, baseCommit, slot, op, fault, notes, landing } = row;
  const isMissing = state === 'ready' && !existsSync(row.path);
  return {
    ...{ id, project, name, createdAt: row.createdAt },
    state: isMissing ? 'missing' : state,
    path: directoryOf(row),
    ...(branch === undefined ? {} : { branch }),
    ...(baseRef === undefined ? {} : { base: short(baseRef) }),
    ...(baseCommit === undefined ? {} : { baseCommit }),
    ...(slot === undefined ? {} : { port: firstPort(slot) }),
    ...(op === undefined ? {} : { operation: op.kind, step: op.step }),
    ...(landing?.landed ? { landed: landedOf(landing.landed) } : {}),
    ...(landing?.fault ? { landFault: landing.fault } : {}),
    ...(row.pull ? { pull: row.pull } : {}),
    ...(fault === undefined ? {} : { fault }),
    ...(notes.length === 0 ? {} : { notes: notes.slice(0, 20).map((note) => note.slice(0, 500)) }),
    ...(row.archivedAt === undefined ? {} : { archivedAt: row.archivedAt }),
  };
}

function landedOf({ at, method, onto, commit }: Landed): Landed {
  return { at, method, onto, ...(commit === undefined ? {} : { commit }) };
}
