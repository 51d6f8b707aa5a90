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
import { canRunApart } from '@tugdeck/testkit/apart';
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

/** Another living process; the lock names it as a host of its own would. */
async function otherProcess(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("ready")']);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('not started');
  return child as typeof child & { pid: number };
}

/** A lock as its holder left it, refreshed for the last time `age` ago. */
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

it('H1 the lock of a process killed by SIGKILL is taken over, that of a living one is not', async () => {
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

it.each(['', 'half a li', '{"pid":0}'])('H1 a lock that names nobody (%j) is taken over', (text) => {
  takeLock(lockFile).release();
  writeFileSync(lockFile, text);
  takeLock(lockFile).release();
});

it('H1 releasing leaves the lock of another alone', () => {
  const lock = takeLock(lockFile);
  writeFileSync(lockFile, 'another');
  lock.release();
  expect(readFileSync(lockFile, 'utf8')).toBe('another');
});

describe('who holds a lock', () => {
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
    ['of another boot of nobody knows which machine', { ...gone, ...noMachine, boot: 'b' }, fresh, false],
    [
      'of another boot of nobody knows which machine, expired',
      { ...gone, ...noMachine, boot: 'b' },
      expired,
      true,
    ],
  ])('N1 one %s', (_title, holder, age, taken) => {
    plant(holder, age);
    expect(isTaken()).toBe(taken);
  });

  it.runIf(ownPlace().machine)(
    'N1 one of an earlier boot of this machine is gone, however young its lease',
    () => {
      plant({ ...self, boot: 'an earlier boot' }, fresh);
      expect(isTaken()).toBe(true);
    },
  );

  it('N1 a lock says where its holder is and what to do', () => {
    plant({ ...self, ...machine, boot: 'b', hostname: 'devbox' });
    expect(() => takeLock(lockFile)).toThrow(
      expect.objectContaining({
        message: 'This is in use by a process on another machine (devbox).',
        hint: expect.stringContaining('tugdeck stop --all'),
      }),
    );
  });

  it('N1 a lease from the future, after a clock was set back, begins to run out now', () => {
    plant({ ...self, namespace: 'pid:[1]' }, -3_600_000);
    expect(isTaken()).toBe(false);
    expect(statSync(lockFile).mtimeMs).toBeLessThan(Date.now() + 60_000);
  });
});

it('N1 the holder refreshes its lease; the file system dates it', async () => {
  const lock = takeLock(lockFile, { timings: { leaseMs: 20, leaseExpiryMs: 1_000 } });
  utimesSync(lockFile, 1, 1);
  expect(isLeaseExpired(lockFile, 1_000)).toBe(true);
  await expect.poll(() => isLeaseExpired(lockFile, 1_000)).toBe(false);
  lock.release();
  expect(isLeaseExpired(lockFile, 1_000)).toBe(true);
  expect(readdirSync(dirname(lockFile))).toEqual([]);
});

it('N2 a holder that does nothing notices by itself that its lock is gone', async () => {
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

it('N2 a lock is broken for the process that is meant, and for no other', () => {
  const lock = takeLock(lockFile);
  const self = ownIdentity();
  breakLock(lockFile, { ...self, namespace: 'pid:[1]' });
  breakLock(lockFile, { ...self, started: 'another' });
  expect(lock.isHeld()).toBe(true);
  breakLock(lockFile, self);
  expect([lock.isHeld(), existsSync(lockFile)]).toEqual([false, false]);
  breakLock(lockFile, self);
});

/** Bundled, so that it runs as a process of its own. */
async function takerProgram(): Promise<string> {
  const input = fileURLToPath(new URL('./lock-taker.ts', import.meta.url));
  const file = join(dirname(dirname(lockFile)), 'taker.mjs');
  await build({ input, platform: 'node', logLevel: 'silent', output: { file, format: 'esm' } });
  return file;
}

// Where nobody may make a pid namespace (no root, a sandbox, macOS) this is left out.
it.runIf(canRunApart)('N1 a namespace that has the /proc of another judges nobody by pid', async () => {
  const program = await takerProgram();
  const inside = () => new Taker('unshare', ['--pid', '--kill-child', process.execPath, program]);
  const [holder, other] = [inside(), inside()];
  try {
    // Its pid there is that of another process here.
    plant({ ...ownPlace(), pid: 1, started: 'long ago' });
    expect(await holder.ask(`take ${lockFile}`)).toBe('SESSION_LOCKED');
    unlinkSync(lockFile);
    expect(await holder.ask(`take ${lockFile}`)).toBe('taken');
    expect(await other.ask(`take ${lockFile}`)).toBe('SESSION_LOCKED');
    expect(isTaken()).toBe(false);
    expect(await holder.ask('held')).toBe('yes');
  } finally {
    for (const taker of [holder, other]) taker.child.kill('SIGKILL');
  }
});

it('N1 of many that take a dead holder’s lock at once, one has it, again and again', async () => {
  const program = await takerProgram();
  const takers = Array.from({ length: 6 }, () => new Taker(process.execPath, [program]));
  try {
    for (let round = 0; round < 20; round++) {
      plant({ pid: process.pid, started: `round ${round}` });
      await Promise.all(takers.map((taker) => taker.ask(`take ${lockFile}`)));
      // Asked after all have tried: whoever was pushed out in the crowd knows it by then.
      const held = await Promise.all(takers.map((taker) => taker.ask('held')));
      expect(held.filter((answer) => answer === 'yes')).toHaveLength(1);
      await Promise.all(takers.map((taker) => taker.ask('release')));
      expect(readdirSync(dirname(lockFile))).toEqual([]);
    }
  } finally {
    for (const taker of takers) taker.child.kill('SIGKILL');
  }
});

class Taker {
  readonly child: ChildProcess;
  #heard: ((answer: string) => void) | undefined;

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (chunk: Buffer) => this.#heard?.(chunk.toString().trim()));
  }

  ask(question: string): Promise<string> {
    return new Promise((resolve) => {
      this.#heard = resolve;
      this.child.stdin?.write(`${question}\n`);
    });
  }
}
