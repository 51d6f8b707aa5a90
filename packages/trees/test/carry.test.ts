import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryHome } from '@tugdeck/testkit/temporary-home';
import { expect, test } from 'vitest';
import { type CarriedRow, removeLeftovers } from '../src/carry/apply.ts';
import { blobId } from '../src/carry/blobs.ts';
import { carriedPaths, existingFiles, permissionsOf } from '../src/carry/carried-files.ts';
import { leaveCarry, withWorktreeLock } from '../src/carry/carry.ts';
import type { CarryRow } from '../src/carry/carry-row.ts';
import { listOperations, readOperation } from '../src/carry/operation.ts';
import { FILE } from '../src/carry/versions.ts';
import { readFiles } from './carry-history.ts';
import { Project } from './carry-project.ts';

const root = temporaryHome('td-carry-');

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join('');
const states = (rows: readonly CarryRow[]) =>
  Object.fromEntries(
    rows.map(({ path, state, why }) => [path, why === undefined ? state : `${state} ${why}`]),
  );
const versionOf = (text: string) => ({ mode: FILE, blob: blobId(Buffer.from(text)) });
const read = (project: Project, path: string) => readFileSync(project.at(path), 'utf8');

/** Runs as a user who may only do what permissions say: root may read everything. */
async function withoutRights(directory: string, work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) {
    chmodSync(root, 0o711);
    chmodSync(directory, 0o777);
    process.seteuid?.(65_534);
  }
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test('T8 .gitignore edited by the agent: a file that was ignored at the checkpoint stays', async () => {
  const project = new Project(root, { '.gitignore': 'secret.env\n', 'a.txt': 'a\n', 'secret.env': 'KEY\n' });
  await project.turn(() => {
    project.write('.gitignore', 'nothing\n');
    project.write('new.txt', 'n\n');
  });
  const { plan } = await project.restore();
  expect(states(plan.rows)).toEqual({
    '.gitignore': 'restored',
    'new.txt': 'removed',
    'secret.env': 'guarded ignored',
  });
  expect(read(project, 'secret.env')).toBe('KEY\n');
  expect(read(project, '.gitignore')).toBe('secret.env\n');
  expect(existsSync(project.at('new.txt'))).toBe(false);
});

test('T14 B65 an operation that was stopped before it was on disk begins again under its id', async () => {
  const project = new Project(root, { 'a.txt': 'a\n' });
  await project.turn(() => project.write('a.txt', 'agent\n'));
  const id = randomUUID();
  await project.begin(await project.plan(), {}, id);
  // Its trees are kept already, and the files changed since.
  rmSync(join(project.operations, `${id}.json`));
  project.write('notes.md', 'mine\n');
  await project.run(await project.begin(await project.plan(), {}, id));
  expect([read(project, 'a.txt'), read(project, 'notes.md')]).toEqual(['a\n', 'mine\n']);
});

test("T4 the user's new file and later edits stay, also in files of the agent", async () => {
  const project = new Project(root, { 'a.txt': numbered(30), 'b.txt': numbered(30) }, true);
  await project.turn(() => {
    project.write('a.txt', numbered(30).replace('5\n', 'five\n'));
    project.write('made.txt', 'agent\n');
  });
  project.write('notes.md', 'mine\n');
  project.write('a.txt', read(project, 'a.txt').replace('25\n', 'twenty-five\n'));
  await project.turn(() => project.write('b.txt', `${numbered(30)}more\n`));
  const { plan, done } = await project.restore();
  expect(states(plan.rows)).toEqual({ 'a.txt': 'merged', 'b.txt': 'restored', 'made.txt': 'removed' });
  expect(done.ended.outcome).toBe('done');
  expect(read(project, 'notes.md')).toBe('mine\n');
  expect(read(project, 'a.txt')).toBe(numbered(30).replace('25\n', 'twenty-five\n'));
  expect(read(project, 'b.txt')).toBe(numbered(30));
});

test('T12 a conflict keeps the current file; the user can choose the checkpoint or conflict markers', async () => {
  const project = new Project(root, { 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });
  await project.turn(() => {
    for (const name of ['a', 'b', 'c']) project.write(`${name}.txt`, 'agent\n');
  });
  for (const name of ['a', 'b', 'c']) project.write(`${name}.txt`, 'mine\n');
  const { plan } = await project.restore(0, { 'b.txt': 'checkpoint', 'c.txt': 'markers' });
  expect(states(plan.rows)).toEqual({ 'a.txt': 'conflict', 'b.txt': 'conflict', 'c.txt': 'conflict' });
  expect(read(project, 'a.txt')).toBe('mine\n');
  expect(read(project, 'b.txt')).toBe('one\n');
  expect(read(project, 'c.txt')).toBe('<<<<<<< current\nmine\n=======\none\n>>>>>>> checkpoint\n');
});

test('T4 re-sent message: a restore to the same message twice reverts nothing the user saved between', async () => {
  const project = new Project(root, { 'a.txt': 'one\n', 'b.txt': 'one\n' });
  await project.turn(() => project.write('a.txt', 'agent\n'));
  await project.restore();
  project.write('a.txt', 'saved by hand\n');
  project.write('b.txt', 'saved by hand\n');
  const plan = await project.plan();
  // The restore was not a turn, but its file can't be distinguished from the user's edit: it stays.
  expect(states(plan.rows)).toEqual({ 'a.txt': 'conflict' });
  await project.run(await project.begin(plan));
  expect(read(project, 'a.txt')).toBe('saved by hand\n');
  expect(read(project, 'b.txt')).toBe('saved by hand\n');
});

test("T4 other session's files stay, also if its turn overlapped", async () => {
  const project = new Project(root, { 'a.txt': 'one\n', 'api/x.txt': 'x\n' });
  await project.turn(async () => {
    project.write('a.txt', 'agent\n');
    await project.otherTurn(() => project.write('api/y.txt', 'other\n'));
    project.write('b.txt', 'agent\n');
  });
  await project.otherTurn(() => project.write('api/x.txt', 'other\n'));
  const { plan } = await project.restore();
  expect(states(plan.rows)).toEqual({ 'a.txt': 'restored', 'b.txt': 'removed' });
  expect(read(project, 'api/x.txt') + read(project, 'api/y.txt')).toBe('other\nother\n');
});

test('T4 T20 a restore of another session while a turn runs is not reverted with the turn', async () => {
  for (const isCut of [false, true]) {
    const project = new Project(root, { 'a.txt': 'one\n', 'mine.txt': 'mine\n', 'z.txt': 'mine\n' });
    const other = await project.otherTurn(() => {
      project.remove('mine.txt');
      project.remove('z.txt');
      project.write('other.txt', 'other\n');
    });
    await project.turn(async () => {
      project.write('a.txt', 'agent\n');
      let steps = 0;
      const cut = () => {
        steps += 1;
        if (isCut && steps === 2) throw new Error('killed');
      };
      await project.otherRestore(other, cut).catch(() => undefined);
      project.write('b.txt', 'agent\n');
    });
    const { plan } = await project.restore();
    expect(states(plan.rows)).toEqual({ 'a.txt': 'restored', 'b.txt': 'removed' });
    expect(read(project, 'mine.txt')).toBe('mine\n');
    expect([existsSync(project.at('z.txt')), existsSync(project.at('other.txt'))]).toEqual([!isCut, isCut]);
  }
});

test('T4 files that the user saved in the editor during a turn stay, or are merged', async () => {
  const project = new Project(root, {
    'both.txt': numbered(30),
    'gone.txt': 'one\n',
    'lost.txt': 'one\n',
    'other.txt': 'one\n',
  });
  const replace = (from: string, to: string) => read(project, 'both.txt').replace(from, to);
  await project.turn(async () => {
    project.write('both.txt', replace('5\n', 'agent\n'));
    await project.save('both.txt', replace('25\n', 'mine\n'));
    await project.save('new.txt', 'mine\n');
    await project.save('gone.txt', 'mine\n');
    await project.save('lost.txt', 'first\n');
    await project.save('lost.txt', 'mine\n');
    project.write('both.txt', replace('15\n', 'agent\n'));
    project.remove('gone.txt');
    project.write('lost.txt', 'one\n');
    project.write('other.txt', 'agent\n');
  });
  const { plan, done } = await project.restore();
  expect(states(plan.rows)).toEqual({
    'both.txt': 'merged',
    'gone.txt': 'recreated',
    'lost.txt': 'restored',
    'other.txt': 'restored',
  });
  expect(read(project, 'both.txt')).toBe(numbered(30).replace('25\n', 'mine\n'));
  for (const name of ['new.txt', 'gone.txt', 'lost.txt']) expect(read(project, name), name).toBe('mine\n');
  expect(read(project, 'other.txt')).toBe('one\n');
  await project.undo(done);
  expect([existsSync(project.at('gone.txt')), read(project, 'lost.txt')]).toEqual([false, 'one\n']);
});

test('T4 a line that the agent added is a conflict if somebody else had typed and removed the same line', async () => {
  const project = new Project(root, { 'agent.txt': 'one\n', 'shared.txt': 'a\n' });
  await project.turn(() => project.write('shared.txt', 'b\n'));
  project.write('shared.txt', 'b\nthe same line\n');
  await project.turn(() => project.write('agent.txt', 'one\nthe same line\n'));
  project.write('shared.txt', 'b\n');
  // Trees can't show whether the agent typed the line or moved it there, so the file is left as it is, and the user can choose.
  const { plan } = await project.restore();
  expect(plan.rows.map(({ path, state }) => [path, state])).toEqual([
    ['agent.txt', 'conflict'],
    ['shared.txt', 'restored'],
  ]);
  await project.restore(0, { 'agent.txt': 'checkpoint' });
  expect(readFileSync(project.at('agent.txt'), 'utf8')).toBe('one\n');
});

test('T4 lines that the agent moved stay in their new file if their old one is a conflict', async () => {
  const project = new Project(root, { 'a.txt': 'first\nmoved line\nlast\n' });
  await project.turn(() => {
    project.write('a.txt', 'first\nagent\n');
    project.write('b.txt', 'moved line\n');
    project.write('c.txt', 'agent\n');
  });
  project.write('a.txt', 'first\nmine\n');
  const { plan, done } = await project.restore();
  expect(states(plan.rows)).toEqual({ 'a.txt': 'conflict', 'b.txt': 'conflict', 'c.txt': 'removed' });
  expect(read(project, 'b.txt')).toBe('moved line\n');
  await project.undo(done);
  // With the old file as at the checkpoint, no line is only in the new one.
  await project.restore(0, { 'a.txt': 'checkpoint', 'b.txt': 'checkpoint' });
  expect([read(project, 'a.txt'), existsSync(project.at('b.txt'))]).toEqual([
    'first\nmoved line\nlast\n',
    false,
  ]);
});

test('T8 nested repository: its files stay when the agent removes its .git folder', async () => {
  const project = new Project(root, { 'a.txt': 'a\n', 'nested/file.txt': 'n\n' }, false);
  execFileSync('git', ['init', '-q'], { cwd: project.at('nested') });
  await project.turn(() => {
    project.remove('nested/.git');
    project.write('nested/new.txt', 'agent\n');
  });
  const { plan } = await project.restore();
  expect(states(plan.rows)).toEqual({ 'nested/file.txt': 'guarded older', 'nested/new.txt': 'removed' });
  expect(read(project, 'nested/file.txt')).toBe('n\n');
});

test('T6 mtimes of untouched files, modes and owners stay', async () => {
  const project = new Project(root, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'dir/c.txt': 'c\n' }, true);
  const old = new Date('2020-01-02T03:04:05Z');
  chmodSync(project.at('a.txt'), 0o640);
  for (const name of ['b.txt', 'dir/c.txt']) utimesSync(project.at(name), old, old);
  await project.turn(() => {
    project.write('a.txt', 'agent\n');
    project.write('dir/new.txt', 'agent\n');
  });
  const index = readFileSync(project.at('.git/index'));
  await project.restore();
  for (const name of ['b.txt', 'dir/c.txt']) expect(statSync(project.at(name)).mtimeMs).toBe(old.getTime());
  expect(statSync(project.at('a.txt')).mode & 0o777).toBe(0o640);
  // HEAD, branches and the index are not touched (T30).
  expect(readFileSync(project.at('.git/index')).equals(index)).toBe(true);
  expect(project.git('status', '--porcelain')).toBe('');
});

test('T7 1 GB of ignored output is neither copied nor touched', async () => {
  const project = new Project(root, { '.gitignore': 'out/\n', 'a.txt': 'a\n' });
  project.write('out/huge.bin', '');
  truncateSync(project.at('out/huge.bin'), 1024 ** 3);
  const before = statSync(project.at('out/huge.bin'));
  await project.turn(() => {
    project.write('a.txt', 'agent\n');
    project.write('out/log.txt', 'agent\n');
  });
  await project.restore();
  expect(read(project, 'a.txt')).toBe('a\n');
  const after = statSync(project.at('out/huge.bin'));
  expect([after.ino, after.size, after.mtimeMs]).toEqual([before.ino, before.size, before.mtimeMs]);
  expect(existsSync(project.at('out/log.txt'))).toBe(true);
  const shadow = await project.shadow();
  const kilobytes = Number(
    execFileSync('du', ['-sk', shadow.directory], { encoding: 'utf8' }).split('\t')[0],
  );
  expect(kilobytes).toBeLessThan(1024);
});

test('T1 non-git folder: files are restored and undone, and no .git appears', async () => {
  const project = new Project(root, { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' });
  await project.turn(() => {
    project.write('a.txt', 'agent\n');
    project.remove('deep');
    project.write('new/c.txt', 'c\n');
  });
  const before = [...readFiles(project.directory)];
  const { done } = await project.restore();
  expect([...readFiles(project.directory).keys()].sort()).toEqual(['a.txt', 'deep/b.txt']);
  expect(existsSync(project.at('new'))).toBe(false);
  const undone = await project.undo(done);
  expect(undone.ended.outcome).toBe('undone');
  expect([...readFiles(project.directory)]).toEqual(before);
  // Redo: an undo can be undone.
  await project.undo(undone);
  expect([...readFiles(project.directory).keys()].sort()).toEqual(['a.txt', 'deep/b.txt']);
});

test('T2 shell commands count: renames, modes, links, and files that became folders', async () => {
  const project = new Project(root, {
    'b.txt': numbered(9),
    'mode.sh': '#!/bin/sh\n',
    'sub/x': 'x\n',
    file: 'f\n',
  });
  symlinkSync('b.txt', project.at('link'));
  project.write('bin.dat', Buffer.from([0, 1, 2, 255]));
  const before = [...readFiles(project.directory)];
  await project.turn(() => {
    renameSync(project.at('b.txt'), project.at('c.txt'));
    chmodSync(project.at('mode.sh'), 0o755);
    project.remove('sub');
    project.write('sub', 'now a file\n');
    project.remove('file');
    project.write('file/inner', 'now a folder\n');
    project.remove('link');
    symlinkSync('/etc/passwd', project.at('link'));
    project.write('bin.dat', Buffer.from([0, 9]));
  });
  const changed = [...readFiles(project.directory)];
  const { done } = await project.restore();
  expect(done.ended.left).toEqual([]);
  expect([...readFiles(project.directory)]).toEqual(before);
  await project.undo(done);
  expect([...readFiles(project.directory)]).toEqual(changed);
  expect(readlinkSync(project.at('link'))).toBe('/etc/passwd');
});

test('T14 undo gives a removed file its permissions back', async () => {
  const project = new Project(root, { 'a.txt': 'a\n' });
  await project.turn(() => {
    project.write('key.pem', 'secret\n');
    chmodSync(project.at('key.pem'), 0o600);
  });
  const { done } = await project.restore();
  expect(existsSync(project.at('key.pem'))).toBe(false);
  await project.undo(done);
  expect(statSync(project.at('key.pem')).mode & 0o777).toBe(0o600);
});

test('T14 undo removes a file that a restore brought back, also if the project ignores it now', async () => {
  const project = new Project(root, { 'a.txt': 'a\n', 'notes.txt': 'notes\n' });
  await project.turn(() => project.remove('notes.txt'));
  project.write('.gitignore', '*.txt\n');
  const { plan, done } = await project.restore();
  expect(states(plan.rows)).toEqual({ 'notes.txt': 'recreated' });
  expect(read(project, 'notes.txt')).toBe('notes\n');
  expect((await project.undo(done)).ended.outcome).toBe('undone');
  expect(existsSync(project.at('notes.txt'))).toBe(false);
});

test('T14 a file that is there although no tree has it is neither written nor removed by undo', async () => {
  for (const text of ['notes\n', 'mine\n']) {
    const project = new Project(root, { 'a.txt': 'a\n', 'notes.txt': 'notes\n' });
    await project.turn(() => {
      project.write('a.txt', 'agent\n');
      project.remove('notes.txt');
    });
    project.write('.gitignore', 'notes.txt\n');
    project.write('notes.txt', text);
    const { plan, done } = await project.restore();
    expect(states(plan.rows)).toEqual({
      'a.txt': 'restored',
      ...(text === 'mine\n' ? { 'notes.txt': 'kept occupied' } : {}),
    });
    await project.undo(done);
    expect([read(project, 'a.txt'), read(project, 'notes.txt')]).toEqual(['agent\n', text]);
  }
});

test('T9 an empty folder of the user stays, one of the agent goes', async () => {
  const project = new Project(root, { 'a.txt': 'a\n' });
  mkdirSync(project.at('empty'));
  await project.turn(() => {
    project.write('empty/made.txt', 'agent\n');
    project.write('made/deep/file.txt', 'agent\n');
  });
  await project.restore();
  expect(readdirSync(project.directory).sort()).toEqual(['a.txt', 'empty']);
});

test('T10 a project inside a repository: other folders of it are never touched', async () => {
  const outer = new Project(root, { 'app/a.txt': 'a\n', 'lib/b.txt': 'b\n' }, true);
  const inner = new Project(root);
  Object.defineProperty(inner, 'directory', { value: outer.at('app') });
  await inner.turn(() => {
    inner.write('a.txt', 'agent\n');
    outer.write('lib/b.txt', 'agent\n');
    outer.write('lib/new.txt', 'agent\n');
  });
  const { plan } = await inner.restore();
  expect(states(plan.rows)).toEqual({ 'a.txt': 'restored' });
  expect(read(outer, 'app/a.txt')).toBe('a\n');
  expect(read(outer, 'lib/b.txt')).toBe('agent\n');
});

test('X33 a folder swapped for a link between plan and write leads nowhere', async () => {
  const project = new Project(root, {
    'dir/a.txt': 'a\n',
    'dir/b.txt': 'b\n',
    'dir/sub/c.txt': 'c\n',
    'z.txt': 'z\n',
  });
  const outside = join(root, 'outside');
  mkdirSync(join(outside, 'sub'), { recursive: true });
  await project.turn(() => {
    project.write('dir/a.txt', 'agent\n');
    project.write('dir/new.txt', 'agent\n');
    project.remove('dir/sub');
    project.write('z.txt', 'agent\n');
  });
  const operation = await project.begin(await project.plan());
  // The same contents outside, so that only the place differs.
  for (const name of ['a.txt', 'b.txt', 'new.txt']) {
    writeFileSync(join(outside, name), readFileSync(project.at(`dir/${name}`)));
  }
  for (const target of [outside, project.at('moved')]) {
    renameSync(project.at('dir'), project.at('moved'));
    symlinkSync(target, project.at('dir'));
    const done = await project.run(operation);
    expect(done.ended.outcome).toBe('partial');
    expect(done.ended.left.map(({ path, why }) => `${path} ${why}`).sort()).toEqual([
      'dir/a.txt moved',
      'dir/new.txt moved',
      'dir/sub/c.txt moved',
    ]);
    expect(readdirSync(outside).sort()).toEqual(['a.txt', 'b.txt', 'new.txt', 'sub']);
    expect(readdirSync(join(outside, 'sub'))).toEqual([]);
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('agent\n');
    expect(readFileSync(project.at('moved/a.txt'), 'utf8')).toBe('agent\n');
    rmSync(project.at('dir'));
    renameSync(project.at('moved'), project.at('dir'));
  }
  // The folder is back: the same operation finishes.
  expect((await project.run(operation)).ended.outcome).toBe('done');
  expect(read(project, 'dir/sub/c.txt')).toBe('c\n');
});

test('X33 a folder swapped during the write is noticed', async () => {
  const project = new Project(root, { 'dir/a.txt': 'a\n' });
  const outside = join(root, 'outside-2');
  mkdirSync(outside);
  await project.turn(() => project.write('dir/a.txt', 'agent\n'));
  const operation = await project.begin(await project.plan());
  const done = await project.run(operation, () => {
    renameSync(project.at('dir'), join(outside, 'dir'));
    symlinkSync(join(outside, 'dir'), project.at('dir'));
  });
  expect(done.ended.left).toEqual([{ path: 'dir/a.txt', why: 'moved', code: 'PATH_OUTSIDE' }]);
  expect(readFileSync(join(outside, 'dir/a.txt'), 'utf8')).toBe('agent\n');
  expect(readdirSync(join(outside, 'dir'))).toEqual(['a.txt']);
});

test('T21 files that changed, became pipes or folders, or can not be written fail alone', async () => {
  const names = ['changed', 'pipe', 'folder', 'denied', 'fine'];
  const project = new Project(root, Object.fromEntries(names.map((name) => [name, 'one\n'])));
  await project.turn(() => {
    for (const name of names) project.write(name, 'agent\n');
  });
  const operation = await project.begin(await project.plan());
  project.write('changed', 'mine\n');
  project.remove('pipe');
  execFileSync('mkfifo', [project.at('pipe')]);
  project.remove('folder');
  project.write('folder/inner', 'mine\n');
  const done = await project.run(operation, (path) => {
    if (path === 'denied') throw Object.assign(new Error('denied'), { code: 'EACCES' });
  });
  expect(done.ended.outcome).toBe('partial');
  expect(done.ended.left).toEqual([
    { path: 'changed', why: 'changed' },
    { path: 'denied', why: 'failed', code: 'EACCES' },
    { path: 'folder', why: 'occupied' },
    { path: 'pipe', why: 'occupied' },
  ]);
  expect(read(project, 'changed')).toBe('mine\n');
  expect(read(project, 'fine')).toBe('one\n');
});

test('T21 an unreadable file or folder in the way of a created file does not stop the others', async () => {
  const project = new Project(root, { file: 'one\n', 'folder/a': 'one\n', fine: 'one\n' });
  const rows: CarriedRow[] = ['file', 'folder/a', 'fine'].map((path) => ({
    path,
    after: versionOf('one\n'),
  }));
  for (const path of ['file', 'folder']) chmodSync(project.at(path), 0);
  await withoutRights(project.directory, async () => {
    const existing = await existingFiles(project.directory, rows);
    expect([...existing].map(([path, version]) => `${path} ${version?.mode}`)).toEqual([
      'file undefined',
      'fine 100644',
      'folder/a undefined',
    ]);
    expect(await carriedPaths(project.directory, rows)).toEqual(['fine']);
    expect([...(await permissionsOf(project.directory, ['folder/a', 'fine'])).keys()]).toEqual(['fine']);
    await removeLeftovers({ id: 'none', root: project.directory, rows });
  });
});

test('T19 a full disk leaves every file whole and the operation open; it can be finished, undone or left', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `file-${at}`);
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  for (const way of ['finish', 'undo', 'leave']) {
    const project = new Project(root, Object.fromEntries(names.map((name) => [name, 'one\n'])));
    await project.turn(() => {
      for (const name of names) project.write(name, 'agent\n');
    });
    const before = [...readFiles(project.directory)];
    const operation = await project.begin(await project.plan());
    let steps = 0;
    const run = project.run(operation, () => {
      steps += 1;
      if (steps === 5) throw full;
    });
    await expect(run).rejects.toBe(full);
    const texts = names.map((name) => read(project, name));
    expect(texts.filter((text) => text === 'one\n')).toHaveLength(4);
    expect(texts.filter((text) => text === 'agent\n')).toHaveLength(8);
    const [open] = listOperations(project.operations).filter(({ ended }) => !ended);
    expect(open?.id).toBe(operation.id);
    // A temporary file that a killed host left behind is removed by each way out.
    writeFileSync(project.at(`.restore.tugdeck-${operation.id}`), 'half');
    if (way === 'finish') {
      expect((await project.run(operation)).ended.outcome).toBe('done');
      expect(names.every((name) => read(project, name) === 'one\n')).toBe(true);
    } else if (way === 'undo') {
      await leaveCarry({
        shadow: await project.shadow(),
        operation,
        directory: project.operations,
        now: Date.now,
      });
      await project.undo(operation);
      expect([...readFiles(project.directory)]).toEqual(before);
    } else {
      const shadow = await project.shadow();
      const left = await leaveCarry({ shadow, operation, directory: project.operations, now: Date.now });
      expect(left.ended.outcome).toBe('abandoned');
      expect(names.map((name) => read(project, name))).toEqual(texts);
    }
    expect(readdirSync(project.directory).filter((name) => name.includes('tugdeck'))).toEqual([]);
    expect(readOperation(project.operations, operation.id)?.ended).toBeDefined();
  }
});

test('T19 a finished restore leaves no temporary file, also beside a file that was changed since', async () => {
  const names = ['dir/a.txt', 'z.txt'];
  const project = new Project(root, Object.fromEntries(names.map((name) => [name, 'one\n'])));
  await project.turn(() => {
    for (const name of names) project.write(name, 'agent\n');
  });
  const operation = await project.begin(await project.plan());
  // As after a kill between writing beside a file and replacing it.
  project.write(`dir/.restore.tugdeck-${operation.id}`, 'one\n');
  project.write('dir/a.txt', 'mine\n');
  expect((await project.run(operation)).ended.left).toEqual([{ path: 'dir/a.txt', why: 'changed' }]);
  expect(readdirSync(project.at('dir'))).toEqual(['a.txt']);
  expect(read(project, 'z.txt')).toBe('one\n');
});

test('T20 two restores in one folder run one after the other, and the plan of the second no longer fits', async () => {
  const project = new Project(root, { 'a.txt': 'one\n' });
  await project.turn(() => project.write('a.txt', 'agent\n'));
  const shadow = await project.shadow();
  const shown = await project.plan();
  const order: string[] = [];
  const restore = (name: string) =>
    withWorktreeLock(shadow, 60_000, async () => {
      order.push(`${name} begins`);
      const plan = await project.plan();
      if (plan.hash === shown.hash) await project.run(await project.begin(plan));
      order.push(`${name} ${plan.hash === shown.hash ? 'restored' : 'refused'}`);
    });
  await Promise.all([restore('first'), restore('second')]);
  expect(order).toEqual(['first begins', 'first restored', 'second begins', 'second refused']);
});

test('X33 hostile names in a tree are never written: .git, .., absolute, not UTF-8', async () => {
  const project = new Project(root, { 'a.txt': 'a\n' }, true);
  const shadow = await project.shadow();
  await project.turn(() => project.write('a.txt', 'agent\n'));
  const blob = (await shadow.text(['hash-object', '-w', '--stdin'], { input: 'evil\n' })).trim();
  const entries = (names: readonly (string | Buffer)[]) =>
    Buffer.concat(
      names.flatMap((name) => [Buffer.from(`100644 blob ${blob}\t`), Buffer.from(name), Buffer.from([0])]),
    );
  const mktree = async (input: Buffer) => (await shadow.text(['mktree', '-z'], { input })).trim();
  const inner = await mktree(entries(['config']));
  const folders = ['.git', '.GIT', 'git~1', '..'].map((name) => `040000 tree ${inner}\t${name}\0`).join('');
  const evil = await mktree(
    Buffer.concat([entries([Buffer.from([0xff, 0xfe]), 'ok.txt']), Buffer.from(folders)]),
  );
  const empty = await mktree(Buffer.alloc(0));
  const turn = project.turns[0];
  if (!turn?.start || !turn.end) throw new Error('no turn');
  project.turns[0] = { ...turn, start: { ...turn.start, tree: evil }, end: { ...turn.end, tree: empty } };
  const config = readFileSync(project.at('.git/config'), 'utf8');
  const { plan } = await project.restore();
  expect(states(plan.rows)).toEqual({
    '../config': 'kept name',
    '.GIT/config': 'kept name',
    '.git/config': 'kept name',
    'git~1/config': 'kept name',
    'ok.txt': 'recreated',
  });
  expect(readFileSync(project.at('.git/config'), 'utf8')).toBe(config);
  expect(existsSync(join(dirname(project.directory), 'config'))).toBe(false);
  expect(readdirSync(project.directory).sort()).toEqual(['.git', 'a.txt', 'ok.txt']);
});

test('T7 a large file is neither restored nor removed, and one that was large at the checkpoint stays', async () => {
  const project = new Project(root, { 'a.txt': 'a\n', 'grows.bin': 'small\n' });
  project.write('model.bin', Buffer.alloc(5 * 1024 * 1024, 1));
  await project.turn(() => {
    project.write('grows.bin', Buffer.alloc(5 * 1024 * 1024, 2));
    // Truncated in place: recorded for the first time, but the checkpoint had left it out.
    truncateSync(project.at('model.bin'), 100);
  });
  const { plan } = await project.restore();
  expect(states(plan.rows)).toEqual({ 'model.bin': 'guarded left-out' });
  expect(lstatSync(project.at('grows.bin')).size).toBe(5 * 1024 * 1024);
  expect(lstatSync(project.at('model.bin')).size).toBe(100);
});

test('T7 a file that was too large to record stays as it is, also if the agent made it smaller', async () => {
  const large = (name: string) => `${name} line\n`.repeat(500_000);
  const project = new Project(root, { 'a.txt': 'a\n', 'data.csv': 'old\n' });
  await project.turn(() => project.write('a.txt', 'agent\n'));
  // The user's data grows beyond 4 MB, and the agent keeps a part of it.
  project.write('data.csv', large('data'));
  project.write('new.csv', large('new'));
  await project.turn(() => {
    project.write('data.csv', 'data line\n');
    project.write('new.csv', 'new line\n');
  });
  for (const from of [1, 0]) {
    const { plan, done } = await project.restore(from);
    expect(states(plan.rows)).toEqual({
      ...(from === 0 ? { 'a.txt': 'restored' } : {}),
      'data.csv': 'conflict left-out',
      'new.csv': 'guarded left-out',
    });
    expect([read(project, 'data.csv'), read(project, 'new.csv')]).toEqual(['data line\n', 'new line\n']);
    await project.undo(done);
  }
});

test('T9 a hard link to a file outside keeps its own content', async () => {
  const project = new Project(root, { 'a.txt': 'a\n' });
  const outside = join(root, 'hard-link');
  await project.turn(() => project.write('a.txt', 'agent\n'));
  linkSync(project.at('a.txt'), outside);
  await project.restore();
  expect(read(project, 'a.txt')).toBe('a\n');
  expect(readFileSync(outside, 'utf8')).toBe('agent\n');
});
