import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isHarmless, isReadable } from '../src/guard/config-keys.ts';
import { gitView } from '../src/guard/git-view.ts';
import { parseConfig } from '../src/guard/local-config.ts';

let root: string;
const before = process.env.TMPDIR;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'td-guard-'));
  process.env.TMPDIR = root;
});
afterAll(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(root, { recursive: true, force: true });
});

const EMPTY = Buffer.alloc(0);

/** Names of keys that seem to run a program or to name a file, a directory or a server. */
const SOUNDS_RISKY =
  /cmd|command|program|path$|file$|template|helper|hook|proxy|tool|editor|pager|driver|textconv|clean$|smudge|process|external|browser|viewer|askpass|include|insteadof|pack$|vcs$|worktree$|directory|dir$|blob$|alias|update$|monitor$|skiplist|target|ssh/i;
const SOUNDS_SO_ONLY = new Set([
  'core.quotepath',
  'merge.directoryrenames',
  'push.useforceifincludes',
  'remote.x.skipdefaultupdate',
  'rerere.autoupdate',
  'stash.showincludeuntracked',
]);

test('W37 treats no git key whose name suggests a program or file as harmless', () => {
  const listed = execFileSync('git', ['help', '--config'], { encoding: 'utf8' }).split('\n');
  const keys = listed.map((line) => line.trim()).filter((line) => /^[a-z0-9]+\.\S+$/i.test(line));
  expect(keys.length).toBeGreaterThan(500);
  const wrong = keys
    .map((key) => key.replace(/<[^>]*>|\*/g, 'x'))
    // Git lists sections and names in lowercase.
    .map((key) => key.toLowerCase())
    .filter((key) => SOUNDS_RISKY.test(key) && !SOUNDS_SO_ONLY.has(key))
    .filter((key) => isHarmless(key) && !/^(color|advice|column|gui|gitk)\./.test(key));
  expect(wrong).toEqual([]);
});

test.each([
  'core.fsmonitor',
  'core.hookspath',
  'core.sshcommand',
  'core.gitproxy',
  'core.pager',
  'core.editor',
  'core.askpass',
  'core.attributesfile',
  'core.excludesfile',
  'core.worktree',
  'core.alternaterefscommand',
  'mailmap.file',
  'mailmap.blob',
  'diff.external',
  'diff.orderfile',
  'diff.x.command',
  'diff.x.textconv',
  'diff.algorithm.command',
  'filter.x.clean',
  'filter.core.autocrlf.smudge',
  'filter.x.process',
  'filter.x.required',
  'merge.x.driver',
  'merge.ff.driver',
  'gpg.program',
  'gpg.ssh.defaultkeycommand',
  'credential.helper',
  'credential.https://x.helper',
  'url.x.insteadof',
  'uploadpack.packobjectshook',
  'remote.x.uploadpack',
  'remote.x.vcs',
  'remote.x.proxy',
  'remote.x.receivepack',
  'trailer.x.command',
  'trailer.x.cmd',
  'interactive.difffilter',
  'sequence.editor',
  'pager.status',
  'alias.status',
  'include.path',
  'includeif.gitdir:/.path',
  'submodule.x.update',
  'gc.recentobjectshook',
  'lfs.extension.x.clean',
  'lfs.customtransfer.x.path',
  'lfs.standalonetransferagent',
  'hook.x.command',
  'blame.ignorerevsfile',
  'commit.template',
  'init.templatedir',
  'fsck.skiplist',
  'trace2.eventtarget',
  'safe.directory',
  'protocol.ext.allow',
  'tomorrow.runs',
  'core.tomorrow',
  'core.filemode\nx',
  'x\ncore.filemode',
])('W37 hides %j from git and does not treat it as harmless', (key) => {
  expect([isReadable(key), isHarmless(key)]).toEqual([false, false]);
});

test('W37 passes allowed entries to git byte for byte, and nothing else', async () => {
  const repository = join(root, 'repository');
  execFileSync('git', ['init', '-q', repository]);
  const gitDirectory = join(repository, '.git');
  const text = [
    '[core]\n\trepositoryformatversion = 0\n\tfilemode\n\tfsmonitor = evil\n\tworktree = /\n',
    '[branch "a\\"b\\\\c]=é"]\n\tremote = " x;#\\"\\\\ \\t\\n[core]\\n\\tfsmonitor = evil "\n',
    '[user]\n\tname = "J\xf6rg\x7f\r"\n',
    '[Filter "X"]\n\tClean = evil\n',
  ].join('');
  writeFileSync(join(gitDirectory, 'config'), Buffer.from(text, 'latin1').toString('latin1'), 'latin1');
  const place = { root: repository, gitDirectory, commonDirectory: gitDirectory };
  await expect(gitView(place)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });

  const spelled = text.replace('é', Buffer.from('é', 'utf8').toString('latin1'));
  writeFileSync(join(gitDirectory, 'config'), spelled, 'latin1');
  const view = await gitView(place);
  const all = await parseConfig([readFileSync(join(gitDirectory, 'config')), EMPTY]);
  const shown = await parseConfig([readFileSync(join(view.directory, 'config')), EMPTY]);
  expect(shown).toEqual([
    { key: 'core.bare', value: 'false' },
    ...all.filter(({ key }) => /^(core\.(repo|filemode)|branch|user)/.test(key)),
  ]);
  expect(shown).toHaveLength(5);
});

test('W37 recreates a deleted view and updates one whose configuration changed', async () => {
  const repository = join(root, 'again');
  execFileSync('git', ['init', '-q', repository]);
  const gitDirectory = join(repository, '.git');
  const place = { root: repository, gitDirectory, commonDirectory: gitDirectory };
  const first = await gitView(place);
  rmSync(join(first.directory, '..'), { recursive: true });
  const second = await gitView(place);
  expect(existsSync(join(second.directory, 'config'))).toBe(true);
  execFileSync('git', ['config', 'core.autocrlf', 'input'], { cwd: repository });
  const third = await gitView(place);
  expect(readFileSync(join(third.directory, 'config'), 'utf8')).toContain('autocrlf = "input"');
});

test('W37 removes directories of killed processes', async () => {
  const child = execFileSync(process.execPath, ['-e', 'console.log(process.pid)'], { encoding: 'utf8' });
  const left = join(root, `tugdeck-git-${child.trim()}-abcdef`);
  const lives = join(root, `tugdeck-git-${process.ppid}-abcdef`);
  mkdirSync(join(left, 'x'), { recursive: true });
  mkdirSync(lives);
  const repository = join(root, 'sweep');
  execFileSync('git', ['init', '-q', repository]);
  const gitDirectory = join(repository, '.git');
  const place = { root: repository, gitDirectory, commonDirectory: gitDirectory };
  const view = await gitView(place);
  rmSync(join(view.directory, '..'), { recursive: true });
  await gitView(place);
  expect([existsSync(left), existsSync(lives)]).toEqual([false, true]);
});
