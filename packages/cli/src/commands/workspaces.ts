/** `tugdeck workspaces` (B1): lists, creates, archives and restores workspaces through the running server. */
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceContents, WorkspaceRow, WorkspaceSize } from '@tugdeck/protocol/workspaces/workspace';
import type { WorkspaceAnswer } from '@tugdeck/protocol/workspaces/workspace-request';
import { UsageError } from '../command-line.ts';
import type { Command, Context } from './context.ts';
import { handOff } from './handoff.ts';
import { land } from './land.ts';
import { callServer } from './workspace-server.ts';

const EXIT = { done: 0, refused: 3 } as const;
/** Nothing was done, because something could be lost. */
const REFUSED = new Set([
  'WORKSPACE_BUSY',
  'WORKSPACE_UNSAFE',
  'WORKSPACE_MISSING',
  'NOT_CONFIRMED',
  'FILE_EXISTS',
]);

export const workspaces: Command = async (context) => {
  const [verb = 'list', ...names] = context.line.arguments;
  switch (verb) {
    case 'list':
      return list(context);
    case 'new':
      return create(context, names);
    case 'disk':
      return disk(context);
    case 'land':
      return land(context, names);
    case 'handoff':
      return handOff(context, names);
    default:
      return each(context, verb, names);
  }
};

/** Also for `send --workspace new`. */
export async function createWorkspace(context: Context, title: string): Promise<WorkspaceRow> {
  const { values, flags } = context.line;
  const { rows } = await callServer(context, {
    act: 'create',
    spec: {
      title,
      ...(values.base === undefined ? {} : { base: values.base }),
      ...(values['branch-name'] === undefined ? {} : { branch: values['branch-name'] }),
      ...(flags.has('no-setup') ? { noSetup: true } : {}),
    },
  });
  return noted(context, { rows });
}

function noted(context: Context, { rows: [row] }: Pick<WorkspaceAnswer, 'rows'>): WorkspaceRow {
  if (!row) throw new CodedError('INTERNAL_ERROR');
  for (const note of row.notes ?? []) context.note(visibleText(note));
  if (row.fault !== undefined) context.note(visibleText(row.fault));
  return row;
}

/** From a pull request or an issue (B91). */
async function startFrom(context: Context, from: string): Promise<WorkspaceRow> {
  const number = Number(from.replace(/^#/, ''));
  if (!Number.isSafeInteger(number) || number < 1) throw new UsageError('--from needs a number');
  return noted(context, await callServer(context, { act: 'start', number }));
}

async function list(context: Context): Promise<number> {
  const { flags } = context.line;
  const { rows } = await callServer(context, { act: 'list', ...(flags.has('all') ? { all: true } : {}) });
  if (flags.has('json')) context.print(JSON.stringify(rows));
  else for (const row of rows) context.print(lineOf(row));
  return EXIT.done;
}

function lineOf({ name, state, branch, base, path }: WorkspaceRow): string {
  return visibleText(
    [name, state, branch ?? '(no branch)', base === undefined ? '' : `from ${base}`, path].join('\t'),
  );
}

async function create(context: Context, names: readonly string[]): Promise<number> {
  const { from } = context.line.values;
  const row = await (from === undefined
    ? createWorkspace(context, names.join(' '))
    : startFrom(context, from));
  context.print(context.line.flags.has('json') ? JSON.stringify(row) : row.path);
  return EXIT.done;
}

async function disk(context: Context): Promise<number> {
  const { rows, sizes = [] } = await callServer(context, { act: 'disk' });
  if (context.line.flags.has('json')) {
    context.print(JSON.stringify(sizes));
    return EXIT.done;
  }
  const total: WorkspaceSize = { id: '', worktree: 0, archive: 0 };
  for (const size of sizes) {
    const row = rows.find(({ id }) => id === size.id);
    context.print([row?.name ?? size.id, megabytes(size.worktree), megabytes(size.archive)].join('\t'));
    Object.assign(total, { worktree: total.worktree + size.worktree, archive: total.archive + size.archive });
  }
  context.note(
    `${sizes.length} workspaces: ${megabytes(total.worktree)} in worktrees, ${megabytes(total.archive)} in archives`,
  );
  return EXIT.done;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

async function each(context: Context, verb: string, names: readonly string[]): Promise<number> {
  if (names.length === 0) throw new UsageError(`workspaces ${verb} needs a NAME`);
  let code: number = EXIT.done;
  for (const name of names) {
    try {
      await one(context, verb, name);
    } catch (error) {
      if (!(error instanceof CodedError) || !REFUSED.has(error.code)) throw error;
      context.note(`tugdeck: ${name}: ${error.message} (${error.code})`);
      code = EXIT.refused;
    }
  }
  return code;
}

async function one(context: Context, verb: string, name: string): Promise<void> {
  const { flags } = context.line;
  switch (verb) {
    case 'show':
      return show(context, await callServer(context, { act: 'show', name }));
    case 'path':
      for (const { path } of (await callServer(context, { act: 'show', name })).rows) context.print(path);
      return;
    case 'archive': {
      const { contents } = await callServer(context, { act: 'contents', name });
      if (contents) context.note(describe(name, contents));
      if (!flags.has('dry-run')) await show(context, await callServer(context, { act: 'archive', name }));
      return;
    }
    case 'restore':
      return show(context, await callServer(context, { act: 'restore', name }));
    case 'forget':
      await callServer(context, { act: 'forget', name, confirmed: flags.has('yes') });
      return;
    default:
      throw new UsageError(`workspaces ${verb}: unknown command`);
  }
}

function show(context: Context, { rows }: WorkspaceAnswer): void {
  for (const row of rows) context.print(context.line.flags.has('json') ? JSON.stringify(row) : lineOf(row));
}

function describe(name: string, contents: WorkspaceContents): string {
  const { changed, untracked, staged, ownCommits, ignored, dropped, branch, deletesBranch } = contents;
  return visibleText(
    [
      `${name}: ${changed} changed, ${untracked} new and ${staged} staged files, ${ownCommits} unpublished commits are kept.`,
      ...(ignored.length > 0 ? [`Ignored files that are kept: ${ignored.join(', ')}`] : []),
      ...(dropped.length > 0
        ? [`Not kept: ${dropped.map(({ path, bytes }) => `${path} (${megabytes(bytes)})`).join(', ')}`]
        : []),
      ...(contents.terminals + contents.agents > 0
        ? [`Ended: ${contents.terminals} terminals, ${contents.agents} agents`]
        : []),
      ...(branch === undefined
        ? []
        : [`Branch ${branch} ${deletesBranch ? 'is deleted with it' : 'stays'}.`]),
      ...(contents.refusal === undefined ? [] : [contents.refusal]),
    ].join('\n'),
  );
}
