/** One file of a carry: its versions and what happens to it. */
import type { Version } from './versions.ts';

/**
 * `restored`: as at the checkpoint. `recreated`: deleted since, written again. `removed`: created since. `merged`: later
 * edits of others are kept. `conflict`: can't be merged, the current file stays. `guarded`: would be removed, but may
 * not have been created since; stays. `kept`: can't be carried, `why` says why.
 */
export type CarryState = 'restored' | 'recreated' | 'removed' | 'merged' | 'conflict' | 'guarded' | 'kept';

export type KeptReason = 'submodule' | 'name' | 'occupied' | 'ignored' | 'older' | 'left-out';

export interface CarryRow {
  readonly path: string;
  readonly state: CarryState;
  /** The current version. */
  readonly before?: Version | undefined;
  /** The version after the carry. Equal to `before` if the file stays. */
  readonly after?: Version | undefined;
  /** The version before the oldest span that changed the file. */
  readonly target?: Version | undefined;
  readonly why?: KeptReason | undefined;
  /** For a conflict: the version after the newest turn that changed the file. */
  readonly base?: Version | undefined;
}

export function stays(
  path: string,
  state: 'conflict' | 'guarded' | 'kept',
  before: Version | undefined,
  target: Version | undefined,
  why?: KeptReason,
): CarryRow {
  return { path, state, before, after: before, target, ...(why === undefined ? {} : { why }) };
}
