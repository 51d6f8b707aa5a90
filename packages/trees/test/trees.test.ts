import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { silentLog, temporaryHome } from '@tugdeck/testkit/temporary-home';
import { expect, test } from 'vitest';
import { otherTurns } from '../src/carry/other-sessions.ts';
import { compareFile, compareTrees, hasTree } from '../src/compare-trees.ts';
import { forgetTrees } from '../src/forget-trees.ts';
import { keepOwnObjects } from '../src/own-objects.ts';
import { recordTree, TREE_LIMITS } from '../src/record-tree.ts';
import { Shadow } from '../src/shadow.ts';
import { KEPT_TREES, keepTree, keptTrees } from '../src/tree-refs.ts';
import { readTurnSpans, turnSpans } from '../src/turn-bounds.ts';
import { openShadow, TurnTrees } from '../src/turn-trees.ts';

const root = temporaryHome('td-trees-');
let count = 0;

function project(files: Readonly<Record<string, string>> = {}, isRepository = false) {
  count += 1;
  const directory = join(root, `p${count}`);
  mkdirSync(directory);
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' });
  for (const [path, content] of Object.entries(files)) write(path, content);
  if (isRepository) {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
  }
  return {
    directory,
    write,
    git,
    shadow: () => openShadow({ home: join(root, 'shadows'), project: directory }),
  };
}

test('W4 records a directory outside of git, with any file names, and later changes', async () => {
  const { directory, write, shadow } = project({
    'a.txt': 'a\n',
    'ü mlaut/-rf': 'x\n',
    'node_modules/m/i.js': 'm\n',
  });
  write('new\nline', 'n\n');
  symlinkSync('/etc/passwd', join(directory, 'link'));
  const one = await shadow();
  const first = await recordTree({ shadow: one, writer: 's' });
  const names = (await one.text(['ls-tree', '-r', '-z', '--name-only', first.tree]))
    .split('\0')
    .filter(Boolean);
  expect(names.sort()).toEqual(['a.txt', 'link', 'new\nline', 'ü mlaut/-rf']);
  write('a.txt', 'b\n');
  rmSync(join(directory, 'new\nline'));
  write('made/deep/file.txt', 'f\n');
  const second = await recordTree({ shadow: one, writer: 's' });
  const files = await compareTrees(one, first.tree, second.tree);
  expect(files.map(({ path, state }) => [path, state])).toEqual([
    ['a.txt', 'modified'],
    ['made/deep/file.txt', 'added'],
    ['new\nline', 'deleted'],
  ]);
  const patch = await compareFile(one, [first.tree, second.tree], { path: 'a.txt' });
  expect(patch.hunks[0]?.lines).toEqual(['-a', '+b']);
  expect(existsSync(join(directory, '.git'))).toBe(false);
  // Accessible to its owner only, because it contains the project's files.
  const open = execFileSync('find', [join(root, 'shadows'), '-perm', '/077'], { encoding: 'utf8' });
  expect(open).toBe('');
});

test('W4 leaves the repository of the project unchanged, byte for byte', async () => {
  const { directory, write, shadow } = project({ 'a.txt': 'a\n', '.gitignore': 'out/\n' }, true);
  write('.git/info/exclude', 'private.txt\n');
  write('private.txt', 'p\n');
  write('out/o.txt', 'o\n');
  write('b.txt', 'b\n');
  const state = () =>
    execFileSync('sh', ['-c', 'find .git -type f | sort | xargs sha256sum; find .git | wc -l'], {
      cwd: directory,
      encoding: 'utf8',
    });
  const before = state();
  const one = await shadow();
  const { tree } = await recordTree({ shadow: one, writer: 's' });
  expect(state()).toBe(before);
  expect((await one.text(['ls-tree', '-r', '--name-only', tree])).trim().split('\n')).toEqual([
    '.gitignore',
    'a.txt',
    'b.txt',
  ]);
});

test('W4 stores bytes unconverted, without filters, line ending conversion or hooks', async () => {
  const made = project(
    { 'a.txt': 'a\r\nb\r\n', '.gitattributes': '*.txt text eol=crlf filter=evil\n' },
    false,
  );
  const { directory, write, git, shadow } = made;
  git('init', '-q');
  git('config', 'filter.evil.clean', `sh -c "touch ${directory}/ran; cat"`);
  git('config', 'core.fsmonitor', `touch ${directory}/ran`);
  git('-c', 'filter.evil.clean=', '-c', 'core.fsmonitor=false', 'add', '-A');
  git('-c', 'filter.evil.clean=', '-c', 'core.fsmonitor=false', 'commit', '-qm', 'first');
  rmSync(join(directory, 'ran'), { force: true });
  const one = await shadow();
  const { tree: first } = await recordTree({ shadow: one, writer: 's' });
  expect((await one.run(['cat-file', 'blob', `${first}:a.txt`])).stdout.toString()).toBe('a\r\nb\r\n');
  write('a.txt', 'a\r\nc\r\n');
  const { tree: second } = await recordTree({ shadow: one, writer: 's' });
  const patch = await compareFile(one, [first, second], { path: 'a.txt' });
  expect(patch.hunks[0]?.lines).toEqual([' a\r', '-b\r', '+c\r']);
  expect(existsSync(join(directory, 'ran'))).toBe(false);
});

test('W4 records changes that git was configured to ignore, and tracked files that are ignored', async () => {
  const { write, git, shadow } = project({ 'a.txt': 'a\n', 'kept.log': 'k\n' }, true);
  write('.gitignore', '*.log\n');
  git('update-index', '--assume-unchanged', 'a.txt');
  const one = await shadow();
  const { tree: first } = await recordTree({ shadow: one, writer: 's' });
  write('a.txt', 'changed\n');
  write('kept.log', 'changed\n');
  const { tree: second } = await recordTree({ shadow: one, writer: 's' });
  expect((await compareTrees(one, first, second)).map(({ path }) => path)).toEqual(['a.txt', 'kept.log']);
});

test('W4 records only the project inside a larger repository, with the ignore rules above it', async () => {
  const { directory, write } = project(
    { 'top.txt': 't\n', '.gitignore': 'dist/\n', 'packages/one/in.txt': 'i\n' },
    true,
  );
  write('packages/one/dist/built.js', 'x');
  write('packages/one/new.txt', 'n\n');
  const one = await openShadow({ home: join(root, 'shadows'), project: join(directory, 'packages/one') });
  const { tree } = await recordTree({ shadow: one, writer: 's' });
  expect((await one.text(['ls-tree', '-r', '--name-only', '--full-tree', tree])).trim().split('\n')).toEqual([
    'in.txt',
    'new.txt',
  ]);
});

test('W4 skips large files, does not record too many, and reports both', async () => {
  const { directory, write, shadow } = project({ 'a.txt': 'a\n' });
  write('large.bin', new Uint8Array(2_000));
  write('secret.txt', 's');
  chmodSync(join(directory, 'secret.txt'), 0o000);
  const one = await shadow();
  const limits = { ...TREE_LIMITS, fileBytes: 1_000 };
  const recorded = await recordTree({ shadow: one, writer: 's', limits });
  const isRoot = process.getuid?.() === 0;
  expect(recorded.left).toBe(isRoot ? 1 : 2);
  for (let index = 0; index < 12; index++) write(`many/${index}.txt`, 'm');
  const refused = recordTree({ shadow: one, writer: 's', limits: { ...limits, files: 10 } });
  await expect(refused).rejects.toMatchObject({ code: 'TOO_MANY' });
});

test('W4 records turn boundaries in the background; a failure is a line, not an error', async () => {
  const { directory, write } = project({ 'a.txt': 'a\n' });
  const file = join(root, 'turns.jsonl');
  const options = {
    home: join(root, 'shadows'),
    project: directory,
    session: 's1',
    file,
    now: () => 5,
    log: silentLog,
  };
  const trees = new TurnTrees(options);
  trees.accepted();
  trees.started('t1');
  await trees.settled();
  write('a.txt', 'b\n');
  trees.ended('t1');
  trees.accepted();
  trees.started('t2');
  trees.ended('t2');
  await trees.settled();
  const [one, two] = await readTurnSpans(file);
  expect(one?.start?.tree).toMatch(/^[0-9a-f]{40}$/);
  expect(one?.end?.tree).not.toBe(one?.start?.tree);
  expect(two?.start?.tree).toBe(one?.end?.tree);
  const small = new TurnTrees({ ...options, session: 's2', limits: { ...TREE_LIMITS, files: 0 } });
  small.started('t3');
  small.ended('t3');
  await small.settled();
  const [, , three] = await readTurnSpans(file);
  expect(three).toMatchObject({
    start: { skipped: '1 files are too many to record.' },
    end: { skipped: expect.any(String) },
  });
  const gone = new TurnTrees({ ...options, session: 's3', project: join(directory, 'gone') });
  gone.started('t4');
  await gone.settled();
  expect((await readTurnSpans(file))[3]?.start?.skipped).toBeDefined();
  expect(turnSpans(`${readFileSync(file, 'utf8')}{"turn":"cut`)).toHaveLength(4);
});

test('W4 several writers record one project at once and keep their first and latest trees', async () => {
  const { write, shadow } = project({ 'a.txt': '0\n' });
  const one = await shadow();
  const both = await Promise.all(['x', 'y', 'z'].map((writer) => recordTree({ shadow: one, writer })));
  expect(new Set(both.map(({ tree }) => tree)).size).toBe(1);
  const trees: string[] = [];
  for (let index = 1; index <= 4; index++) {
    write('a.txt', `${index}\n`);
    const { tree } = await recordTree({ shadow: one, writer: 'x' });
    trees.push(tree);
    await keepTree(one, 'x', tree);
    await keepTree(one, 'x', tree);
  }
  expect((await keptTrees(one, 'x')).map(({ tree }) => tree)).toEqual(trees);
  await one.run(['gc', '--quiet', '--prune=now']);
  for (const tree of trees) expect(await hasTree(one, tree)).toBe(true);
  expect(both[0] && (await hasTree(one, both[0].tree))).toBe(false);
  expect(KEPT_TREES).toBeGreaterThan(100);
  expect(
    readdirSync(one.directory)
      .filter((name) => name.startsWith('index-'))
      .sort(),
  ).toEqual(['index-x', 'index-y', 'index-z']);
});

test('W4 X2 removes the trees of deleted sessions and then empty shadow repositories', async () => {
  const homeOfThese = join(root, 'forgotten');
  const { directory, write } = project({ 'a.txt': 'a\n' });
  const shadow = await openShadow({ home: homeOfThese, project: directory });
  const recorded = async (session: string) => {
    write('a.txt', `of ${session}\n`);
    const { tree } = await recordTree({ shadow, writer: session });
    await recordTree({ shadow, writer: `now-${session}` });
    await keepTree(shadow, session, tree);
    return tree;
  };
  await recorded('gone-1');
  const stays = await recorded('stays-1');
  expect(await forgetTrees({ home: homeOfThese, isGone: () => false })).toBe(0);
  expect(await forgetTrees({ home: homeOfThese, isGone: (session) => session === 'gone-1' })).toBe(1);
  expect(await keptTrees(shadow, 'gone-1')).toEqual([]);
  expect((await keptTrees(shadow, 'stays-1')).map(({ tree }) => tree)).toEqual([stays]);
  const indexes = readdirSync(shadow.directory).filter((name) => name.startsWith('index-'));
  expect(indexes.sort()).toEqual(['index-now-stays-1', 'index-stays-1']);
  expect(await hasTree(shadow, stays)).toBe(true);
  expect(await forgetTrees({ home: homeOfThese, isGone: () => true })).toBe(1);
  expect(readdirSync(homeOfThese)).toEqual([]);
  expect(await forgetTrees({ home: join(root, 'none'), isGone: () => true })).toBe(0);
  // The next recording starts from nothing.
  const next = await openShadow({ home: homeOfThese, project: directory });
  expect((await recordTree({ shadow: next, writer: 'new' })).tree).toBe(stays);
});

test('T3 T5 a start names branch, commit and files that were left out; a late one is marked', async () => {
  const { directory, write, git } = project({ 'a.txt': 'a\n' }, true);
  git('checkout', '-q', '-b', 'me/topic');
  write('large.bin', Buffer.alloc(2_000));
  const file = join(root, 'checkpoints.jsonl');
  const trees = new TurnTrees({
    home: join(root, 'shadows'),
    project: directory,
    session: 'checkpoints',
    file,
    now: Date.now,
    log: silentLog,
    limits: { ...TREE_LIMITS, fileBytes: 1_000 },
  });
  trees.accepted();
  expect(trees.ready()).toBeDefined();
  await trees.ready();
  expect(trees.ready()).toBeUndefined();
  trees.started('one');
  trees.joined('one', 'prompt');
  trees.ended('one');
  git('pack-refs', '--all');
  trees.accepted();
  trees.late();
  trees.started('two');
  git('checkout', '-q', '--detach');
  trees.started('three');
  await trees.settled();
  const [one, two, three] = await readTurnSpans(file);
  const commit = git('rev-parse', 'HEAD').trim();
  expect(one?.start?.head).toEqual({ commit, branch: 'me/topic' });
  expect(one?.start?.late).toBeUndefined();
  expect(one?.start?.leftOut).toEqual([{ path: 'large.bin', size: 2_000, mtime: expect.any(Number) }]);
  expect(one?.joined).toMatchObject([{ prompt: 'prompt', late: true, tree: one?.start?.tree }]);
  expect(two?.start).toMatchObject({ late: true, head: { commit } });
  // The agent started by itself: nobody announced a prompt.
  expect(three?.start?.late).toBe(true);
});

test('T33 T37 a checkpoint survives the deletion of a branch and the cleanup of the project', async () => {
  const { write, git, shadow } = project({ 'base.bin': 'x'.repeat(100_000), 'a.txt': 'a\n' }, true);
  git('branch', '-M', 'main');
  git('checkout', '-q', '-b', 'topic');
  write('topic.txt', 'only on the topic\n');
  git('add', '-A');
  git('commit', '-qm', 'topic');
  const one = await shadow();
  const { tree } = await recordTree({ shadow: one, writer: 's' });
  await keepTree(one, 's', tree);
  const blob = git('rev-parse', 'topic:topic.txt').trim();
  expect(await keepOwnObjects(one, { now: true })).toBe(true);
  git('checkout', '-q', 'main');
  git('branch', '-qD', 'topic');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '-q', '--prune=now');
  expect(() => git('cat-file', '-e', blob)).toThrow();
  await one.run(['gc', '--quiet', '--prune=now']);
  expect((await one.text(['ls-tree', '-r', '--name-only', tree])).trim().split('\n')).toHaveLength(3);
  expect(await one.text(['cat-file', 'blob', blob])).toBe('only on the topic\n');
  // Files of the main branch are not stored twice.
  const base = git('rev-parse', 'main:base.bin').trim();
  const packed = execFileSync(
    'sh',
    ['-c', 'for i in "$1"/*.idx; do git show-index < "$i"; done', 'sh', join(one.directory, 'objects/pack')],
    {
      encoding: 'utf8',
    },
  );
  expect(packed).toContain(blob);
  expect(packed).not.toContain(base);
  // Again, with nothing new: the same pack.
  expect(await keepOwnObjects(one, { now: true })).toBe(true);
  expect(
    readdirSync(join(one.directory, 'objects/pack')).filter((name) => name.endsWith('.keep')),
  ).toHaveLength(1);
});

test('T37 worktrees of a repository share one shadow repository, which keeps the trees of a removed one', async () => {
  const { directory, write, git, shadow } = project({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' }, true);
  const home = join(root, 'shadows');
  const other = join(root, 'other worktree');
  git('worktree', 'add', '-q', '--detach', other);
  writeFileSync(join(other, 'a.txt'), 'only there\n');
  const [main, linked, folder] = await Promise.all(
    [directory, other, join(directory, 'sub')].map((path) => openShadow({ home, project: path })),
  );
  if (!main || !linked || !folder) throw new Error('no shadow');
  expect([linked.directory, folder.directory]).toEqual([main.directory, main.directory]);
  expect(new Set([main.place, linked.place, folder.place]).size).toBe(3);
  expect(linked.placeLock).not.toBe(main.placeLock);
  expect(folder.placeLock).toBe(main.placeLock);
  const { tree: there } = await recordTree({ shadow: linked, writer: 'linked' });
  const { tree: inside } = await recordTree({ shadow: folder, writer: 'folder' });
  await keepTree(linked, 'linked', there);
  await keepTree(folder, 'folder', inside);
  git('worktree', 'remove', '--force', other);
  write('c.txt', 'c\n');
  const { tree: here } = await recordTree({ shadow: await shadow(), writer: 'main' });
  const files = (await compareTrees(main, there, here)).map(({ path, state }) => [path, state]);
  expect(files).toEqual([
    ['a.txt', 'modified'],
    ['c.txt', 'added'],
  ]);
  expect((await main.text(['ls-tree', '--name-only', inside])).trim()).toBe('b.txt');
});

test('T37 X1 a folder that names another repository as its own gets its own shadow repository', async () => {
  const { directory, git } = project({ 'a.txt': 'a\n' }, true);
  git('worktree', 'add', '-q', join(root, 'known'));
  const home = join(root, 'shadows');
  const main = await openShadow({ home, project: directory });
  const claims = [
    ['claims-main', join(directory, '.git')],
    ['claims-worktree', join(directory, '.git/worktrees/known')],
  ] as const;
  for (const [name, target] of claims) {
    const claiming = join(root, name);
    mkdirSync(claiming);
    writeFileSync(join(claiming, '.git'), `gitdir: ${target}\n`);
    expect((await openShadow({ home, project: claiming })).directory, name).not.toBe(main.directory);
  }
});

test('T37 trees that an earlier version recorded per folder stay available, also new ones', async () => {
  const { directory, write } = project({ 'sub/b.txt': 'b\n' }, true);
  const home = join(root, 'former');
  const sub = join(directory, 'sub');
  // Earlier versions named it by the folder.
  const place = (await openShadow({ home, project: sub })).place;
  const former = new Shadow({ home, project: sub });
  expect(former.directory).toBe(join(home, place));
  const recorded = async (session: string) => {
    write('sub/b.txt', `by ${session}\n`);
    const { tree } = await recordTree({ shadow: former, writer: session });
    await keepTree(former, session, tree);
    return tree;
  };
  const first = await recorded('one');
  await former.run(['gc', '--quiet', '--prune=now']);
  const second = await recorded('two');
  for (const tree of [first, second]) {
    const shadow = await openShadow({ home, project: sub });
    expect(shadow.directory).not.toBe(former.directory);
    await shadow.open();
    expect(await hasTree(shadow, tree)).toBe(true);
  }
  await forgetTrees({ home, isGone: (session) => session === 'one' });
  rmSync(former.directory, { recursive: true });
  const shadow = await openShadow({ home, project: sub });
  await shadow.open();
  await shadow.run(['gc', '--quiet', '--prune=now']);
  expect(await shadow.text(['cat-file', 'blob', `${second}:b.txt`])).toBe('by two\n');
  expect(await hasTree(shadow, first)).toBe(false);
  // Records of that time name no folder: the session belongs to its own, not to the whole repository.
  const turn = { turn: 't', bound: 'start', at: 1, tree: second } as const;
  const file = join(root, 'former.jsonl');
  writeFileSync(file, `${JSON.stringify(turn)}\n`);
  const fileOf = (session: string) => (session === 'two' ? file : join(root, 'none'));
  expect(await otherTurns(shadow, 'other', fileOf)).toMatchObject([{ turn: 't' }]);
  const whole = await openShadow({ home, project: directory });
  expect(await otherTurns(whole, 'other', fileOf)).toEqual([]);
  await keepTree(whole, 'two', second);
  expect(await otherTurns(whole, 'other', fileOf)).toEqual([]);
});
