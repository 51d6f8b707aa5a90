import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canUsePidNamespaces } from '@tugdeck/testkit/pid-namespace';
import { build } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { breakLock, isLeaseExpired, lockHolder, takeLock } from '../src/lock.ts';
import { ownPlace } from '../src/place.ts';
import { identify, ownIdentity } from '../src/process-identity.ts';
import { DEFAULT_TIMINGS } from '../src/timings.ts';

let lockFile: string;
beforeEach(() => {
  lockFile = join(mkdtempSync(join(tmpdir(), 'tugdeck-lock-')), 'session', 'lock');
});
afterEach(() => rmSync(dirname(dirname(lockFile)), { recursive: true, force: true }));

/** Starts another process; the lock names it as if it were a host. */
async function otherProcess(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("ready")']);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('not started');
  return child as typeof child & { pid: number };
}

/** Writes a lock file that its holder last refreshed `age` ago. */
function plant(holder: object, age = 0): void {
  mkdirSync(dirname(lockFile), { recursive: true });
  writeFileSync(lockFile, JSON.stringify({ ...holder, name: 'planted' }));
  const at = statSync(lockFile).mtimeMs - age;
  utimesSync(lockFile, at / 1000, at / 1000);
}

const locked = expect.objectContaining({ code: 'SESSION_LOCKED' });
const isTaken = (): boolean => {
  try {
    takeLock(lockFile).release();
    return true;
  } catch (error) {
    expect(error).toEqual(locked);
    return false;
  }
};

it('H1 takes over the lock of a killed process, but not of a running one', async () => {
  const child = await otherProcess();
  plant(identify(child.pid) ?? {});
  expect(() => takeLock(lockFile)).toThrow(locked);
  expect(lockHolder(lockFile)?.pid).toBe(child.pid);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const lock = takeLock(lockFile);
  expect(lockHolder(lockFile)?.pid).toBe(process.pid);
  lock.release();
  expect(readdirSync(dirname(lockFile))).toEqual([]);
});

it.each(['', 'half a li', '{"pid":0}'])('H1 takes over a lock that names no holder (%j)', (text) => {
  takeLock(lockFile).release();
  writeFileSync(lockFile, text);
  takeLock(lockFile).release();
});

it('H1 releasing keeps the lock of another holder', () => {
  const lock = takeLock(lockFile);
  writeFileSync(lockFile, 'another');
  lock.release();
  expect(readFileSync(lockFile, 'utf8')).toBe('another');
});

describe('the holder of a lock', () => {
  const self = ownIdentity();
  const gone = { ...self, started: 'long ago' };
  const { leaseExpiryMs } = DEFAULT_TIMINGS;
  const [fresh, justValid, expired] = [0, leaseExpiryMs - 10_000, leaseExpiryMs + 1_000];
  const machine = { machine: 'a machine' };
  const noMachine = { machine: undefined };

  it('N1 names machine, boot, pid namespace, pid and start time', () => {
    const lock = takeLock(lockFile);
    expect(lockHolder(lockFile)).toEqual(self);
    expect(self).toMatchObject({ pid: process.pid, boot: expect.any(String) });
    if (process.platform === 'linux') expect(self.namespace).toMatch(/^pid:\[\d+\]$/);
    lock.release();
  });

  it.each([
    // The holder, the age of its lease, whether its lock is taken over.
    ['of this place that runs', self, expired, false],
    ['of this place that is gone', gone, fresh, true],
    ['of this place without a machine id that runs', { ...self, ...noMachine }, expired, false],
    ['of this place without a machine id that is gone', { ...gone, ...noMachine }, fresh, true],
    ['of an older version that runs', { pid: self.pid, started: self.started }, expired, false],
    ['of an older version that is gone', { pid: self.pid, started: 'long ago' }, fresh, true],
    ['of another namespace, refreshed', { ...gone, namespace: 'pid:[1]' }, fresh, false],
    ['of another namespace, late', { ...gone, namespace: 'pid:[1]' }, justValid, false],
    ['of another namespace, expired', { ...self, namespace: 'pid:[1]' }, expired, true],
    [
      'of another namespace without a machine id',
      { ...gone, ...noMachine, namespace: 'pid:[1]' },
      fresh,
      false,
    ],
    ['of another machine, refreshed', { ...gone, ...machine, boot: 'b' }, fresh, false],
    ['of another machine, expired', { ...self, ...machine, boot: 'b' }, expired, true],
    ['of another machine with our boot id and pid', { ...gone, ...machine }, fresh, false],
    ['of another boot of an unknown machine', { ...gone, ...noMachine, boot: 'b' }, fresh, false],
    ['of another boot of an unknown machine, expired', { ...gone, ...noMachine, boot: 'b' }, expired, true],
  ])('N1 one %s', (_title, holder, age, taken) => {
    plant(holder, age);
    expect(isTaken()).toBe(taken);
  });

  it.runIf(ownPlace().machine)('N1 a holder from an earlier boot is gone, however recent its lease', () => {
    plant({ ...self, boot: 'an earlier boot' }, fresh);
    expect(isTaken()).toBe(true);
  });

  it('N1 reports where the holder is and what to do', () => {
    plant({ ...self, ...machine, boot: 'b', hostname: 'devbox' });
    expect(() => takeLock(lockFile)).toThrow(
      expect.objectContaining({
        message: 'In use by a process on another machine (devbox).',
        hint: expect.stringContaining('tugdeck stop --all'),
      }),
    );
  });

  it('N1 a lease from the future, after a clock was set back, starts now', () => {
    plant({ ...self, namespace: 'pid:[1]' }, -3_600_000);
    expect(isTaken()).toBe(false);
    expect(statSync(lockFile).mtimeMs).toBeLessThan(Date.now() + 60_000);
  });
});

it('N1 the holder refreshes its lease with the time of the file system', async () => {
  const lock = takeLock(lockFile, { timings: { leaseMs: 20, leaseExpiryMs: 1_000 } });
  utimesSync(lockFile, 1, 1);
  expect(isLeaseExpired(lockFile, 1_000)).toBe(true);
  await expect.poll(() => isLeaseExpired(lockFile, 1_000)).toBe(false);
  lock.release();
  expect(isLeaseExpired(lockFile, 1_000)).toBe(true);
  expect(readdirSync(dirname(lockFile))).toEqual([]);
});

it('N2 an idle holder notices that its lock is gone', async () => {
  let lost = 0;
  const lock = takeLock(lockFile, { timings: { leaseMs: 20, leaseExpiryMs: 1_000 }, lost: () => lost++ });
  unlinkSync(lockFile);
  const next = takeLock(lockFile);
  await expect.poll(() => lost).toBe(1);
  expect([lock.isHeld(), next.isHeld()]).toEqual([false, true]);
  lock.release();
  expect([existsSync(lockFile), next.isHeld()]).toEqual([true, true]);
  next.release();
});

it('N2 breaks a lock only for the given holder', () => {
  const lock = takeLock(lockFile);
  const self = ownIdentity();
  breakLock(lockFile, { ...self, namespace: 'pid:[1]' });
  breakLock(lockFile, { ...self, started: 'another' });
  expect(lock.isHeld()).toBe(true);
  breakLock(lockFile, self);
  expect([lock.isHeld(), existsSync(lockFile)]).toEqual([false, false]);
  breakLock(lockFile, self);
});

/** Bundled, so that it runs as a separate process. */
async function takerProgram(): Promise<string> {
  const input = fileURLToPath(new URL('./lock-taker.ts', import.meta.url));
  const file = join(dirname(dirname(lockFile)), 'taker.mjs');
  await build({ input, platform: 'node', logLevel: 'silent', output: { file, format: 'esm' } });
  return file;
}

// Skipped where pid namespaces cannot be created (no root, a sandbox, macOS).
it.runIf(canUsePidNamespaces)('N1 checks no pid in a namespace with the /proc of another', async () => {
  const program = await takerProgram();
  const inside = () => new Taker('unshare', ['--pid', '--kill-child', process.execPath, program]);
  const [holder, other] = [inside(), inside()];
  try {
    // Its pid there belongs to another process here.
    plant({ ...ownPlace(), pid: 1, started: 'long ago' });
    expect(await holder.command(`take ${lockFile}`)).toBe('SESSION_LOCKED');
    unlinkSync(lockFile);
    expect(await holder.command(`take ${lockFile}`)).toBe('taken');
    expect(await other.command(`take ${lockFile}`)).toBe('SESSION_LOCKED');
    expect(isTaken()).toBe(false);
    expect(await holder.command('held')).toBe('yes');
  } finally {
    for (const taker of [holder, other]) taker.child.kill('SIGKILL');
  }
});

it('N1 exactly one of many concurrent takers gets the lock of a dead holder', async () => {
  const program = await takerProgram();
  const takers = Array.from({ length: 6 }, () => new Taker(process.execPath, [program]));
  try {
    for (let round = 0; round < 20; round++) {
      plant({ pid: process.pid, started: `round ${round}` });
      await Promise.all(takers.map((taker) => taker.command(`take ${lockFile}`)));
      // Checked after all have tried: a process that lost the race knows by then.
      const held = await Promise.all(takers.map((taker) => taker.command('held')));
      expect(held.filter((answer) => answer === 'yes')).toHaveLength(1);
      await Promise.all(takers.map((taker) => taker.command('release')));
      expect(readdirSync(dirname(lockFile))).toEqual([]);
    }
  } finally {
    for (const taker of takers) taker.child.kill('SIGKILL');
  }
});

class Taker {
  readonly child: ChildProcess;
  #resolve: ((answer: string) => void) | undefined;

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (chunk: Buffer) => this.#resolve?.(chunk.toString().trim()));
  }

  command(line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.child.stdin?.write(`${line}\n`);
    });
  }
}
