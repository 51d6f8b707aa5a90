/** Texts of the Land dialog. Pure. */
import type { LandMethod, LandPreview } from '@tugdeck/protocol/workspaces/landing';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { plural } from '../../kit/format.ts';
import { visiblePath } from '../../kit/visible-text.ts';

export const METHOD_LABELS: Readonly<Record<LandMethod, string>> = {
  squash: 'Squash',
  merge: 'Merge',
  rebase: 'Rebase',
  changes: 'As changes',
};
const PROGRESS: Readonly<Record<string, string>> = {
  commit: 'Committing…',
  bring: 'Merging the base in…',
  check: 'Running the check…',
  tip: 'Committing…',
  result: 'Committing…',
  move: 'Moving the branch…',
  plan: 'Comparing files…',
  carry: 'Writing files…',
};
const MAX_NAMED = 5;

export interface LandStep {
  readonly id: 'commit' | 'base' | 'check';
  readonly text: string;
  readonly state: 'done' | 'blocked' | 'open';
}

export function progressText({ step }: Pick<WorkspaceRow, 'step'>): string {
  return PROGRESS[step ?? ''] ?? 'Landing…';
}

export function landSteps(preview: LandPreview): LandStep[] {
  const { uncommitted, ahead, behind, conflicts, unfinished, method, check, carry } = preview;
  const base = preview.onto ?? 'the base';
  const work = [
    ahead > 0 ? plural(ahead, 'commit') : '',
    uncommitted > 0 ? plural(uncommitted, 'uncommitted file') : '',
  ].filter(Boolean);
  if (method === 'changes') {
    const merged = carry && carry.merged > 0 ? `, ${carry.merged} merged with yours` : '';
    const text = carry
      ? `${plural(carry.files, 'file')} will be copied into your checkout${merged}`
      : work.join(', ');
    return [{ id: 'commit', text: text === '' ? 'Nothing to land' : text, state: 'open' }];
  }
  const conflicting = unfinished?.conflicts.length ?? conflicts?.length ?? 0;
  const lacks = `${base} has ${plural(behind, 'commit')} that this workspace lacks`;
  const baseText = unfinished
    ? `A ${unfinished.operation} with ${base} is not finished`
    : behind === 0
      ? `Up to date with ${base}`
      : conflicts === undefined
        ? `${lacks}; this version of git can’t check for conflicts`
        : conflicting === 0
          ? `${lacks}; no conflicts`
          : `${lacks}; ${plural(conflicting, 'file')} ${conflicting === 1 ? 'conflicts' : 'conflict'}`;
  return [
    { id: 'commit', text: work.length === 0 ? 'Nothing to land' : work.join(', '), state: 'open' },
    { id: 'base', text: baseText, state: unfinished || conflicting > 0 ? 'blocked' : 'done' },
    ...(check === undefined ? [] : [{ id: 'check', text: `Check: ${check}`, state: 'open' } as const]),
  ];
}

export function checkoutText({ method, onto = 'The base', checkout }: LandPreview): string {
  if (!checkout) return '';
  const { path, changed, blocking } = checkout;
  if (blocking.length > 0) return `Blocked by files in ${visiblePath(path)}: ${named(blocking)}`;
  if (method === 'changes') return `Your checkout is ${visiblePath(path)}`;
  const stays = changed === 1 ? 'which stays as it is' : 'which stay as they are';
  const files = changed === 0 ? '' : `, with ${plural(changed, 'changed file')}, ${stays}`;
  return `${onto} is checked out in ${visiblePath(path)}${files}`;
}

/** For the agent of the workspace. File names are untrusted data: one per line, with hidden characters written out. */
export function conflictPrompt({
  method,
  onto = 'the base',
  unfinished,
  conflicts = [],
}: LandPreview): string {
  const isRebase = unfinished ? unfinished.operation === 'rebase' : method === 'rebase';
  const files = unfinished?.conflicts ?? conflicts;
  return [
    `${isRebase ? `A rebase of this branch on ${onto}` : `A merge of ${onto} into this branch`} has conflicts in these files:`,
    '',
    ...files.slice(0, 100).map((path) => `- ${visiblePath(path)}`),
    '',
    `Resolve the conflicts so that both sides keep their intent, run the tests if there are any, then finish with ${isRebase ? 'git rebase --continue' : 'git commit'}. Don't change other branches.`,
  ].join('\n');
}

function named(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMED).map(visiblePath).join(', ');
  return names.length > MAX_NAMED ? `${some} and ${names.length - MAX_NAMED} more` : some;
}
