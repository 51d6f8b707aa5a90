// Inspects and disturbs processes by pid, for fault injection and for proving that nothing is left. Functions that
// read /proc are for Linux only. `waitFor` is the only accepted way to wait for state without an event; everything
// that can be awaited directly must be.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** The awaited condition, for the failure message: "the agent to be gone". */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/** Polls until the probe returns something truthy, and returns that. A probe that throws counts as not yet. */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  { what, timeoutMs = 60_000, intervalMs = 20 }: WaitOptions,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let last: string;
    try {
      const value = await probe();
      if (value) return value;
      last = `the probe gave ${String(value)}`;
    } catch (error) {
      last = `the probe threw: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (performance.now() >= deadline) throw new Error(`waited ${timeoutMs} ms for ${what}; ${last}`);
    await delay(intervalMs);
  }
}

function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** The file's text; undefined if the process is gone or belongs to another user. */
function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}

interface Stat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** Clock ticks since boot; distinguishes a process from a later one with the same pid. */
  readonly started: string;
}

function readStat(pid: number): Stat | undefined {
  const line = readProc(pid, 'stat');
  if (line === undefined) return undefined;
  // The second field is the program's name in parentheses, which can contain spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '?',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    started: fields[19] ?? '',
  };
}

function allPids(): number[] {
  if (process.platform !== 'linux') throw new Error('looking through all processes needs Linux /proc');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export const kill9 = (pid: number): void => signal(pid, 'SIGKILL');

/** Suspends the process: it keeps its sockets and answers nothing. */
export const freeze = (pid: number): void => signal(pid, 'SIGSTOP');

export const thaw = (pid: number): void => signal(pid, 'SIGCONT');

function signal(pid: number, name: NodeJS.Signals): void {
  // 0 and 1 would signal our own group or init, a negative pid a whole group; never intended here.
  if (!Number.isInteger(pid) || pid < 2) throw new Error(`refusing to signal pid ${pid}`);
  process.kill(pid, name);
}

/** A zombie does not count as alive. */
export function isAlive(pid: number): boolean {
  if (process.platform === 'linux') {
    const state = readStat(pid)?.state;
    return state !== undefined && state !== 'Z' && state !== 'X';
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false;
    if (isErrno(error, 'EPERM')) return true;
    throw error;
  }
}

export function isFrozen(pid: number): boolean {
  return readStat(pid)?.state === 'T';
}

export async function waitGone(pid: number, timeoutMs = 60_000): Promise<void> {
  const started = readStat(pid)?.started;
  await waitFor(() => !isAlive(pid) || readStat(pid)?.started !== started, {
    what: `process ${pid} to be gone`,
    timeoutMs,
  });
}

/** Pids of live processes, except this one, whose environment contains the text. Linux only. */
export function findByEnvironment(mark: string): number[] {
  if (mark.length < 6) throw new Error(`'${mark}' is too short to be a mark`);
  return allPids().filter(
    (pid) => pid !== process.pid && isAlive(pid) && (environmentOf(pid)?.includes(mark) ?? false),
  );
}

const EXEC_MS = 2_000;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Waits for a process that is executing another program: until it has, its environment is empty. */
function environmentOf(pid: number): string | undefined {
  for (let waited = 0; waited < EXEC_MS && isBetweenPrograms(pid); waited++) Atomics.wait(pause, 0, 0, 1);
  return readProc(pid, 'environ');
}

function isBetweenPrograms(pid: number): boolean {
  return readProc(pid, 'environ') === '' && commandOf(pid) === '' && programOf(pid) !== undefined;
}

/** The command line of a process, its words separated by NUL; empty once it has ended. */
export const commandOf = (pid: number): string => readProc(pid, 'cmdline') ?? '';

/** The program file of a process. Threads of the kernel and processes that are ending have none. */
export function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}

/** Pids of live direct children. Linux only. */
export function childrenOf(pid: number): number[] {
  return allPids().filter((other) => readStat(other)?.parent === pid && isAlive(other));
}

/** Pids of live members of a process group. Linux only. */
export function membersOfGroup(group: number): number[] {
  return allPids().filter((pid) => readStat(pid)?.group === group && isAlive(pid));
}
