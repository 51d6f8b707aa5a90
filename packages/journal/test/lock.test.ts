import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify } from '@tugdeck/local/process-identity';
import { expect, it } from 'vitest';
import { takeLock } from '../src/lock.ts';
import { openJournal } from '../src/writer.ts';
import { now, temporarySession } from './journal-fixture.ts';

/** Another living process; the lock names it as a host of its own would. */
async function otherProcess(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("ready")']);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('not started');
  return child as typeof child & { pid: number };
}

const locked = expect.objectContaining({ code: 'SESSION_LOCKED' });

it('H1 a second writer is refused, also in the same process, until the first lets go', () => {
  const session = temporarySession();
  const { writer } = openJournal(session, { now });
  expect(() => openJournal(session, { now })).toThrow(locked);
  expect(statSync(session.lock).mode & 0o777).toBe(0o600);
  writer.close();
  expect(existsSync(session.lock)).toBe(false);
  openJournal(session, { now }).writer.close();
});

it('H1 the lock of a process killed by SIGKILL is taken over, that of a living one is not', async () => {
  const session = temporarySession();
  const child = await otherProcess();
  takeLock(session.lock).release();
  writeFileSync(session.lock, JSON.stringify(identify(child.pid)));
  expect(() => takeLock(session.lock)).toThrow(locked);
  expect(JSON.parse(readFileSync(session.lock, 'utf8')).pid).toBe(child.pid);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const lock = takeLock(session.lock);
  expect(JSON.parse(readFileSync(session.lock, 'utf8')).pid).toBe(process.pid);
  lock.release();
  expect(readdirSync(dirname(session.lock))).toEqual([]);
});

it('H1 a pid that was given to another process meanwhile does not hold the lock', () => {
  const session = temporarySession();
  takeLock(session.lock).release();
  writeFileSync(session.lock, JSON.stringify({ pid: process.pid, started: 'long ago' }));
  takeLock(session.lock).release();
});

it.each(['', 'half a li', '{"pid":0}'])('H1 a lock that names nobody (%j) is taken over', (text) => {
  const session = temporarySession();
  takeLock(session.lock).release();
  writeFileSync(session.lock, text);
  takeLock(session.lock).release();
});

it('H1 releasing leaves the lock of another alone', () => {
  const session = temporarySession();
  const lock = takeLock(session.lock);
  writeFileSync(session.lock, 'another');
  lock.release();
  expect(readFileSync(session.lock, 'utf8')).toBe('another');
});
