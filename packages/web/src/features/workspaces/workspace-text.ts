/** Texts about workspaces. Pure. */
import type {
  WorkspaceContents,
  WorkspaceRow,
  WorkspaceSize,
  WorkspaceState,
} from '@tugdeck/protocol/workspaces/workspace';
import { bytes, plural } from '../../kit/format.ts';

const STATES: Readonly<Record<WorkspaceState, string>> = {
  creating: 'Creating',
  ready: 'Ready',
  archiving: 'Archiving',
  archived: 'Archived',
  restoring: 'Restoring',
  missing: 'Folder not found',
  failed: 'Not created',
  emptied: 'Deleted',
};
const STEPS: Readonly<Record<string, string>> = {
  base: 'fetching the base',
  worktree: 'checking out files',
  checkpoint: 'restoring files',
  files: 'copying files',
  setup: 'running setup',
};
const MAX_NAMED = 6;

export function workspaceStateText({ state, step, port }: WorkspaceRow): string {
  if (state === 'creating' && step !== undefined && STEPS[step] !== undefined)
    return `Creating: ${STEPS[step]}`;
  return state === 'ready' && port !== undefined ? `Ports ${port}–${port + 9}` : STATES[state];
}

/** "9 workspaces, 14.0 GB, 6 landed" */
export function totalText(
  rows: readonly WorkspaceRow[],
  sizes: readonly WorkspaceSize[] | undefined,
): string {
  const used = sizes?.reduce((sum, { worktree, archive }) => sum + worktree + archive, 0);
  const landed = rows.filter((row) => row.landed).length;
  return [
    plural(rows.length, 'workspace'),
    used === undefined ? 'measuring…' : bytes(used),
    landed > 0 ? `${landed} landed` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

export interface CreationStep {
  readonly name: 'base' | 'checkout' | 'files' | 'setup';
  readonly state: 'done' | 'now' | 'next';
  readonly text: string;
}

/** The server's steps, in groups that users care about. */
const GROUPS = [
  ['base', ['base']],
  ['checkout', ['folder', 'branch', 'worktree', 'lock', 'submodules', 'checkpoint']],
  ['files', ['files', 'changes']],
  ['setup', ['setup']],
] as const;

export function creationSteps({
  step = 'base',
  base,
  baseCommit,
  branch,
  notes = [],
}: WorkspaceRow): CreationStep[] {
  const at = GROUPS.findIndex(([, names]) => (names as readonly string[]).includes(step));
  const texts: Readonly<Record<CreationStep['name'], readonly [now: string, done: string]>> = {
    base: ['Fetching the base', `Base ${[base, baseCommit?.slice(0, 8)].filter(Boolean).join(' ')}`],
    checkout: ['Checking out files', `Checked out ${branch ?? ''}`],
    files: ['Copying files', notes.at(-1) ?? 'No files to copy'],
    setup: ['Running the setup', 'Setup'],
  };
  return GROUPS.map(([name], index) => {
    const state = index < at ? 'done' : index === at ? 'now' : 'next';
    const [now, done] = texts[name];
    return { name, state, text: state === 'done' ? done : now };
  });
}

export function archiveLines(contents: WorkspaceContents): string[] {
  const { changed, untracked, staged, ownCommits, ignored, dropped, branch, deletesBranch } = contents;
  const files = [
    changed > 0 ? `${changed} changed` : '',
    untracked > 0 ? `${untracked} new` : '',
    staged > 0 ? `${staged} staged` : '',
  ].filter(Boolean);
  const ended = [
    contents.terminals > 0 ? plural(contents.terminals, 'terminal') : '',
    contents.agents > 0 ? plural(contents.agents, 'idle agent') : '',
  ].filter(Boolean);
  return [
    'Everything is kept for 30 days and can be restored to the same folder.',
    files.length > 0 ? `Uncommitted files: ${files.join(', ')}` : 'No uncommitted files',
    ownCommits > 0
      ? `${plural(ownCommits, 'commit')} on no other branch or remote`
      : 'No unpublished commits',
    ...(ignored.length > 0 ? [`Ignored files that are kept: ${named(ignored)}`] : []),
    ...(dropped.length > 0
      ? [`Not kept, because programs create them again: ${named(dropped.map(({ path }) => path))}`]
      : []),
    ...(ended.length > 0 ? [`Ends ${ended.join(' and ')}`] : []),
    ...(branch === undefined
      ? []
      : [deletesBranch ? `Branch ${branch} will be deleted` : `Branch ${branch} stays in the repository`]),
  ];
}

function named(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${some} and ${names.length - MAX_NAMED} more` : some;
}
