// Tests the process helpers on real child processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cleanEnvironment } from '../src/clean-env.ts';
import {
  childrenOf,
  findByEnvironment,
  freeze,
  isAlive,
  isFrozen,
  kill9,
  membersOfGroup,
  thaw,
  waitFor,
  waitGone,
} from '../src/process-facts.ts';
import { createSandbox, type Sandbox } from '../src/temp.ts';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
});

afterEach(() => sandbox.dispose());

// Prints a line when it runs, then does nothing until it is killed.
const idle = 'setInterval(() => {}, 1e9); console.log("up")';

async function start(
  code = idle,
  extra: Record<string, string> = {},
): Promise<ChildProcess & { pid: number }> {
  const env = cleanEnvironment(sandbox, { extra });
  const child = spawn(process.execPath, ['-e', code], {
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout) await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}

test('L8 finds a process by its environment, freezes, thaws and kills it', async () => {
  const mark = `MARK=${crypto.randomUUID()}`;
  const child = await start(idle, { MARK: mark.slice(5) });
  expect(findByEnvironment(mark)).toEqual([child.pid]);
  expect(sandbox.strays()).toEqual([child.pid]);
  expect(membersOfGroup(child.pid)).toEqual([child.pid]);
  freeze(child.pid);
  await waitFor(() => isFrozen(child.pid), { what: 'the child to freeze' });
  expect(isAlive(child.pid)).toBe(true);
  thaw(child.pid);
  await waitFor(() => !isFrozen(child.pid), { what: 'the child to thaw' });
  kill9(child.pid);
  await waitGone(child.pid);
  expect([isAlive(child.pid), findByEnvironment(mark)]).toEqual([false, []]);
});

test('L8 an unreaped zombie counts as gone', async () => {
  // The shell becomes a program that never waits for children; only then its child exits.
  const script = '(until grep -q sleep /proc/$$/comm; do :; done) & echo $!; exec sleep 600';
  const shell = spawn('sh', ['-c', script], { env: cleanEnvironment(sandbox) });
  const [output] = await once(shell.stdout, 'data');
  const zombie = Number(String(output));
  await waitGone(zombie);
  expect(readFileSync(`/proc/${zombie}/stat`, 'utf8')).toContain(' Z ');
  expect([isAlive(zombie), isAlive(shell.pid ?? 0)]).toEqual([false, true]);
});

test('L8 disposing of a sandbox ends its processes, including grandchildren', async () => {
  const child = await start(
    `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(idle)}], ` +
      '{ stdio: "inherit" })',
  );
  const children = childrenOf(child.pid);
  expect(children).toHaveLength(1);
  kill9(child.pid);
  await waitGone(child.pid);
  expect(sandbox.strays()).toEqual(children);
  await sandbox.dispose();
  expect(children.map(isAlive)).toEqual([false]);
  expect(existsSync(sandbox.root)).toBe(false);
});

test('L8 disposing of a sandbox also ends processes that start in the meantime', async () => {
  const env = cleanEnvironment(sandbox);
  // Each shell keeps starting children, so some are created between the listing and the kill.
  const busy = 'echo up; while :; do sleep 600 & sleep 0.005; done';
  const shells = [1, 2, 3].map(() => spawn('sh', ['-c', busy], { env }));
  await Promise.all(shells.map((shell) => once(shell.stdout, 'data')));
  await sandbox.dispose();
  expect(sandbox.strays()).toEqual([]);
});

test('L8 a failed wait names its condition and the last value', async () => {
  await expect(waitFor(() => 0, { what: 'a miracle', timeoutMs: 30 })).rejects.toThrow(
    'waited 30 ms for a miracle; the probe gave 0',
  );
  const broken = (): boolean => {
    throw new Error('not there');
  };
  await expect(waitFor(broken, { what: 'it', timeoutMs: 30 })).rejects.toThrow('the probe threw: not there');
  expect(() => kill9(-1)).toThrow('refusing');
});

test('X1 sandbox directories are private and short enough for a socket', async () => {
  const path = join(sandbox.runtime, `${'s'.repeat(36)}.sock`);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
  const server = createServer().listen(path);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
});
