import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryHome } from '@tugdeck/testkit/temporary-home';
import { expect, test } from 'vitest';
import { type BranchMove, keepCommits, moveBranch, planBranchMove } from '../src/branch-move.ts';
import { type Head, readHead } from '../src/read-head.ts';
import type { Shadow } from '../src/shadow.ts';
import { Project } from './carry-project.ts';

const root = temporaryHome('td-branch-');

/** A repository whose branch has moved by two commits since the checkpoint. */
async function moved() {
  const project = new Project(root, { 'a.txt': 'a\n', 'b.txt': 'b\n' }, true);
  project.git('checkout', '-q', '-b', 'me/topic');
  const shadow = await project.shadow();
  await shadow.open();
  const before = headOf(shadow);
  project.write('a.txt', 'two\n');
  project.git('commit', '-qam', 'second');
  project.write('new.txt', 'new\n');
  project.git('add', '-A');
  project.git('commit', '-qm', 'third');
  const plan = () => planBranchMove(shadow, before, headOf(shadow));
  return { project, shadow, before, plan, tip: headOf(shadow).commit };
}

function headOf({ source }: Shadow): Head {
  const head = source && readHead(source);
  if (!head) throw new Error('no head');
  return head;
}

function moveOf(plan: Awaited<ReturnType<typeof planBranchMove>>): BranchMove {
  if (!plan?.move) throw new Error(`stays: ${plan?.stays}`);
  return plan.move;
}

const back = ({ branch, from, to }: BranchMove): BranchMove => ({ branch, from: to, to: from });

test('T30 T31 a branch moves back and forward again; files and staged changes stay', async () => {
  const { project, shadow, before, plan, tip } = await moved();
  project.write('b.txt', 'staged\n');
  project.git('add', 'b.txt');
  const move = moveOf(await plan());
  await keepCommits(shadow, move);
  expect(await moveBranch(shadow, move)).toBe(true);
  expect(headOf(shadow)).toEqual({ commit: before.commit, branch: 'me/topic' });
  const status = () => project.git('status', '--porcelain').split('\n').filter(Boolean).sort();
  expect(status()).toEqual([' M a.txt', '?? new.txt', 'M  b.txt']);
  // Again, as after a crash.
  expect(await moveBranch(shadow, move)).toBe(true);
  // The project removes the commits; undo brings them back.
  project.git('reflog', 'expire', '--expire=now', '--all');
  project.git('gc', '-q', '--prune=now');
  await shadow.run(['gc', '--quiet', '--prune=now']);
  expect(() => project.git('cat-file', '-e', tip)).toThrow();
  expect(await moveBranch(shadow, back(move))).toBe(true);
  expect(headOf(shadow).commit).toBe(tip);
  expect(status()).toEqual(['M  b.txt']);
  project.git('fsck', '--strict');
});

test('T31 a branch stays if it moved since, or an operation is unfinished, or a staged change is in the way', async () => {
  const { project, shadow, plan, tip } = await moved();
  const move = moveOf(await plan());
  const blocked = async (stays: string) => {
    expect(await plan()).toMatchObject({ stays });
    expect(await moveBranch(shadow, move)).toBe(false);
    expect(project.git('rev-parse', 'me/topic').trim()).toBe(tip);
  };
  writeFileSync(project.at('.git/MERGE_HEAD'), `${tip}\n`);
  await blocked('unfinished');
  project.remove('.git/MERGE_HEAD');
  project.write('new.txt', 'staged\n');
  project.git('add', 'new.txt');
  await blocked('staged');
  project.git('reset', '-q', '--hard');
  project.git('worktree', 'add', '-q', '--force', `${project.directory}-other`, 'me/topic');
  await blocked('elsewhere');
  project.git('worktree', 'remove', `${project.directory}-other`);
  project.git('checkout', '-q', '-b', 'other');
  await blocked('switched');
  project.git('checkout', '-q', '--detach', 'me/topic');
  await blocked('detached');
  project.git('checkout', '-q', 'me/topic');
  project.git('commit', '-q', '--allow-empty', '-m', 'fourth');
  expect(await moveBranch(shadow, move)).toBe(false);
  project.git('reset', '-q', '--hard', move.to);
  project.git('commit', '-q', '--amend', '-m', 'rewritten');
  expect(await plan()).toMatchObject({ stays: 'rewritten' });
});

test('T32 counts commits that a remote has; moving the branch leaves the remote alone', async () => {
  const { project, shadow, plan } = await moved();
  const remote = `${project.directory}-remote`;
  mkdirSync(remote);
  project.git('init', '-q', '--bare', remote);
  project.git('remote', 'add', 'origin', remote);
  project.git('push', '-q', 'origin', 'HEAD~1:refs/heads/me/topic');
  const found = await plan();
  expect(found?.pushed).toBe(1);
  const move = moveOf(found);
  await keepCommits(shadow, move);
  await moveBranch(shadow, move);
  expect(project.git('ls-remote', 'origin').split('\t')[0]).toBe(
    project.git('rev-parse', 'origin/me/topic').trim(),
  );
});

test('T31 X1 moving a branch runs no hook and no program that the repository names', async () => {
  const { project, shadow, plan } = await moved();
  const trap = join(root, 'trap');
  for (const hook of ['reference-transaction', 'post-checkout', 'post-index-change']) {
    mkdirSync(project.at('.git/hooks'), { recursive: true });
    writeFileSync(project.at(`.git/hooks/${hook}`), `#!/bin/sh\ntouch '${trap}'\n`, { mode: 0o755 });
  }
  project.git('config', 'core.fsmonitor', `touch '${trap}' #`);
  project.git('config', 'filter.x.smudge', `touch '${trap}'; cat`);
  project.git('config', 'filter.x.clean', `touch '${trap}'; cat`);
  writeFileSync(project.at('.git/info/attributes'), '* filter=x\n');
  const move = moveOf(await plan());
  await keepCommits(shadow, move);
  expect(await moveBranch(shadow, move)).toBe(true);
  expect(project.git('-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD').trim()).toBe(move.to);
  expect(() => writeFileSync(trap, '', { flag: 'wx' })).not.toThrow();
});
