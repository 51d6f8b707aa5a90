/** Workspaces that start from a checkpoint of a session (T36), with real git. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TurnTrees } from '@tugdeck/trees/turn-trees';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type GitWorld, gitWorld, repositoryAt, silent, type TestRepository } from './git-fixture.ts';
import { PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';

let world: GitWorld;
let number = 0;
const open: WorkspacePlace[] = [];
const SESSION = 's1';

beforeAll(() => {
  world = gitWorld();
});
afterEach(async () => {
  for (const place of open.splice(0)) await place.close();
});
afterAll(() => world.dispose());

/** A repository in which a session works. */
class Case {
  readonly root: string;
  readonly repository: TestRepository;
  readonly trees: TurnTrees;
  readonly place: WorkspacePlace;

  /** `folder`: the project is this folder of the repository. */
  constructor(folder = '') {
    this.root = world.path(`case-${++number}`);
    this.repository = repositoryAt(join(this.root, 'shop'));
    this.repository.commit('one', {
      [join(folder, 'a.txt')]: 'one\n',
      [join(folder, 'gone.txt')]: 'tracked\n',
      [join(folder, '.gitignore')]: '.env\n',
    });
    const project = join(this.repository.directory, folder);
    const data = join(this.root, 'data');
    const file = join(data, 'trees.jsonl');
    mkdirSync(data, { mode: 0o700 });
    this.trees = new TurnTrees({
      home: join(data, 'trees'),
      project,
      session: SESSION,
      file,
      now: Date.now,
      log: silent,
    });
    const turnsOf = (session: string) => (session === SESSION ? file : undefined);
    this.place = workspacePlace(data, project, { turnsOf });
    open.push(this.place);
  }

  async turn(turn: string, work: () => void): Promise<void> {
    this.trees.accepted();
    this.trees.started(turn);
    await this.trees.settled();
    work();
    this.trees.ended(turn);
    await this.trees.settled();
  }

  async create(turn: string, session = SESSION) {
    const checkpoint = { session, turn, message: 'm1' };
    const { id } = await this.place.workspaces.create(PROJECT, { title: 'Other way', checkpoint });
    return this.place.workspaces.ready(id);
  }
}

/** Files with kind, permissions and content, without git's own. */
function filesIn(root: string): string[] {
  const found: string[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.name === '.git') continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isSymbolicLink()) found.push(`${relative(root, path)} -> ${readlinkSync(path)}`);
      else {
        const isExecutable = (lstatSync(path).mode & 0o100) !== 0;
        found.push(`${relative(root, path)}${isExecutable ? '*' : ''}: ${readFileSync(path, 'utf8')}`);
      }
    }
  };
  visit(root);
  return found.sort();
}

/** Everything of a checkout that another program could notice. */
function checkoutOf({ directory, git }: TestRepository): unknown {
  const times = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.parentPath.includes('.git') && entry.name !== '.git')
    .map((entry) => [entry.name, lstatSync(join(entry.parentPath, entry.name)).mtimeMs]);
  return [
    filesIn(directory),
    times,
    git('rev-parse', 'HEAD'),
    git('symbolic-ref', 'HEAD'),
    git('status', '-s'),
  ];
}

const gitIn = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

for (const folder of ['', 'packages/web']) {
  test(`T36 a workspace has the commit and exactly the files before a message; the checkout stays${folder && ', also in a folder of the repository'}`, async () => {
    const one = new Case(folder);
    const { repository } = one;
    const at = (name: string) => join(folder, name);
    const before = repository.git('rev-parse', 'HEAD').trim();
    repository.write(at('a.txt'), 'edited\n');
    repository.write(at('new/untracked.txt'), 'new\n');
    repository.write(at('run.sh'), 'run\n');
    execFileSync('chmod', ['+x', join(repository.directory, at('run.sh'))]);
    symlinkSync('a.txt', join(repository.directory, at('link')));
    rmSync(join(repository.directory, at('gone.txt')));
    const then = filesIn(repository.directory);
    await one.turn('t1', () =>
      repository.commit('two', { [at('a.txt')]: 'agent\n', [at('later.txt')]: 'x\n' }),
    );
    repository.write(at('.env'), 'SECRET=1\n');
    const checkout = checkoutOf(repository);
    const row = await one.create('t1');
    expect(gitIn(row.path, 'rev-parse', 'HEAD')).toBe(before);
    expect(row).toMatchObject({ baseRef: 'refs/heads/main', baseCommit: before, state: 'ready' });
    expect(filesIn(row.path)).toEqual([...then, `${at('.env')}: SECRET=1\n`].sort());
    expect(checkoutOf(repository)).toEqual(checkout);
  });
}

test('T36 starts from the nearest earlier commit if that of the time is gone, with the same files', async () => {
  const one = new Case();
  const { repository } = one;
  const first = repository.git('rev-parse', 'HEAD').trim();
  await one.turn('t1', () => undefined);
  repository.commit('two', { 'a.txt': 'two\n' });
  const then = filesIn(repository.directory);
  await one.turn('t2', () => repository.write('a.txt', 'agent\n'));
  // The commit is replaced, and git removes the old one.
  repository.git('commit', '-q', '--amend', '-m', 'two, better');
  repository.git('reflog', 'expire', '--expire=now', '--all');
  repository.git('gc', '-q', '--prune=now');
  const row = await one.create('t2');
  expect(row.baseCommit).toBe(first);
  expect(row.notes).toContain(
    'The commit of that time no longer exists, so the branch starts from an earlier one.',
  );
  expect(filesIn(row.path)).toEqual(then);
});

test('T36 B12 refuses a checkpoint that is not recorded, or of a session of another project, and leaves nothing', async () => {
  const one = new Case();
  await one.turn('t1', () => one.repository.write('a.txt', 'agent\n'));
  const branches = one.repository.git('branch', '--list');
  await expect(one.create('t2')).rejects.toThrow('no longer recorded');
  await expect(one.create('t1', 'other')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect(one.repository.git('branch', '--list')).toBe(branches);
  expect(one.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});
