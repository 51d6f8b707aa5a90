import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProjectBranches } from '../src/projects/project-branches.ts';
import { type GitWorld, gitWorld, repositoryAt, silent } from './git-fixture.ts';

let world: GitWorld;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

/** Reads once and resolves with the branch, which must have changed. */
function reader() {
  let resolve: () => void = () => undefined;
  const branches = new ProjectBranches({ log: silent, changed: () => resolve() });
  return async (directory: string): Promise<string | undefined> => {
    const changed = new Promise<void>((done) => {
      resolve = done;
    });
    branches.refresh([directory]);
    await changed;
    return branches.of(directory);
  };
}

test('D16 the branch follows a switch, and is absent with a detached head', async () => {
  const read = reader();
  const { directory, git, commit } = repositoryAt(world.path('follows'));
  // Before the first commit.
  expect(await read(directory)).toBe('main');
  const first = commit('one', { 'a.txt': 'a\n', 'inner/b.txt': 'b\n' });
  expect(await read(join(directory, 'inner'))).toBe('main');
  git('switch', '-q', '-c', 'feat/über-search');
  expect(await read(directory)).toBe('feat/über-search');
  git('switch', '-q', '--detach', first);
  expect(await read(directory)).toBeUndefined();
});

test('D16 a linked worktree and a submodule have their own branch', async () => {
  const read = reader();
  const { directory, git, commit } = repositoryAt(world.path('linked'));
  const { commit: commitInner } = repositoryAt(world.path('inner-origin'));
  commit('one', { 'a.txt': 'a\n' });
  commitInner('one', { 'a.txt': 'a\n' });
  git('worktree', 'add', '-q', '-b', 'other', world.path('linked-other'));
  git('submodule', '--quiet', 'add', world.path('inner-origin'), 'inner');
  execFileSync('git', ['switch', '-q', '-c', 'inside'], { cwd: join(directory, 'inner') });
  expect(await read(world.path('linked-other'))).toBe('other');
  expect(await read(join(directory, 'inner'))).toBe('inside');
  expect(await read(directory)).toBe('main');
});

const HEADS: readonly (readonly [string, (head: string) => void])[] = [
  ['huge', (head) => writeFileSync(head, `ref: refs/heads/${'x'.repeat(100_000)}\n`)],
  ['longer than a page accepts', (head) => writeFileSync(head, `ref: refs/heads/${'x/'.repeat(200)}x\n`)],
  ['control characters', (head) => writeFileSync(head, 'ref: refs/heads/a\u001b[31mred\n')],
  ['two lines', (head) => writeFileSync(head, 'ref: refs/heads/a\nb\n')],
  ['a path', (head) => writeFileSync(head, 'ref: refs/heads/../../secret\n')],
  ['spaces', (head) => writeFileSync(head, 'ref: refs/heads/Signed in as root\n')],
  ['another storage of refs', (head) => writeFileSync(head, 'ref: refs/heads/.invalid\n')],
  ['not a branch', (head) => writeFileSync(head, 'ref: refs/tags/v1\n')],
  [
    'a link to the outside',
    (head) => {
      writeFileSync(world.path('outside'), 'ref: refs/heads/secret\n');
      symlinkSync(world.path('outside'), head);
    },
  ],
  ['a pipe', (head) => execFileSync('mkfifo', [head])],
  ['a folder', (head) => mkdirSync(head)],
  ['nothing', () => undefined],
];

test.each(HEADS)('D16 X2 a hostile HEAD is ignored: %s', async (name, write) => {
  const read = reader();
  const { directory } = repositoryAt(world.path(`hostile ${name}`));
  expect(await read(directory)).toBe('main');
  const head = join(directory, '.git', 'HEAD');
  rmSync(head);
  write(head);
  expect(await read(directory)).toBeUndefined();
});
