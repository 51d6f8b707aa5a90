import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { endTree, MARK, membersOf } from '../src/process-ending.ts';
import { findByEnvironment, identify, isRunning } from '../src/process-identity.ts';

/** Starts a shell in its own group; resolves when it has printed `up`, so that its traps are set. */
async function start(script: string, mark: string) {
  const child = spawn('sh', ['-c', `${script}`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH ?? '', [MARK]: mark },
  });
  await once(child.stdout, 'data');
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (!identity) throw new Error('not started');
  return { identity, group: identity.pid, mark };
}

const QUICK = { farewellMs: 0, terminateMs: 200 };
let marks = 0;
const freshMark = () => `test-${process.pid}-${++marks}`;

describe('L8 ending a process tree', () => {
  test('L8 ends a process and its children with SIGTERM', async () => {
    const tree = await start('sleep 600 & echo up; wait', freshMark());
    expect(membersOf(tree).length).toBeGreaterThanOrEqual(2);
    expect(await endTree(tree, { ...QUICK, terminateMs: 5_000 })).toEqual([]);
    expect(membersOf(tree)).toEqual([]);
  });

  test('L8 kills a process that ignores SIGTERM', async () => {
    const tree = await start('trap "" TERM; echo up; while :; do sleep 600; done', freshMark());
    expect(await endTree(tree, QUICK)).toEqual([]);
  });

  test('L8 finds a child that left the group by its mark', async () => {
    const tree = await start('setsid sh -c "echo up; exec sleep 600" & wait', freshMark());
    // While a process replaces its program, its environment cannot be read.
    await expect.poll(() => findByEnvironment(MARK, tree.mark).length).toBeGreaterThanOrEqual(2);
    expect(await endTree(tree, { ...QUICK, terminateMs: 5_000 })).toEqual([]);
    expect(findByEnvironment(MARK, tree.mark)).toEqual([]);
  });

  test('L8 leaves a reused pid alone', async () => {
    const bystander = await start('echo up; exec sleep 600', freshMark());
    const claimed = {
      identity: { pid: bystander.identity.pid, started: 'long ago' },
      group: bystander.group,
    };
    expect(await endTree(claimed, QUICK)).toEqual([]);
    expect(isRunning(bystander.identity)).toBe(true);
    await endTree(bystander, { ...QUICK, terminateMs: 5_000 });
  });
});
