/**
 * The identity of a process: its pid can be reused, so the identity includes the start time and the place in which
 * the pid is valid (N1). No process is killed unless this proves it to be ours.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { hasOwnProc, ownPlace, PLACE_SHAPE, type Place, whereabouts } from './place.ts';
import { isText, isWhole, shapeOf } from './shape.ts';

export interface ProcessIdentity extends Place {
  readonly pid: number;
  readonly started: string;
}

export const isProcessIdentity = shapeOf<ProcessIdentity>({
  pid: isWhole(1),
  started: isText,
  ...PLACE_SHAPE,
});

/** The process with this pid, or `undefined` if there is none (or only a zombie). */
export function identify(pid: number): ProcessIdentity | undefined {
  if (platform() === 'linux') {
    const stat = readStat(pid);
    return stat && stat.state !== 'Z' && stat.state !== 'X'
      ? { pid, started: stat.started, ...ownPlace() }
      : undefined;
  }
  const started = ps(['-o', 'lstart=', '-p', String(pid)]);
  return started ? { pid, started, ...ownPlace() } : undefined;
}

export function ownIdentity(): ProcessIdentity {
  const identity = identify(process.pid);
  if (!identity) throw new Error('this process cannot be identified');
  return identity;
}

/**
 * The process runs in this place, proven by its pid, and may be signaled. Returns false for a process in another
 * place even if it runs there; `Ledger.isAlive` covers those.
 */
export function isRunning(identity: ProcessIdentity): boolean {
  return whereabouts(identity) === 'here' && identify(identity.pid)?.started === identity.started;
}

export function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const keys = ['pid', 'started', 'machine', 'boot', 'namespace'] as const;
  return keys.every((key) => one[key] === other[key]);
}

/** Every process with `variable=value` in its environment. */
export function findByEnvironment(variable: string, value: string): ProcessIdentity[] {
  const wanted = `${variable}=${value}`;
  if (platform() === 'linux') return linuxByEnvironment(wanted);
  const found: ProcessIdentity[] = [];
  for (const line of ps(['-axeww', '-o', 'pid=,command='])?.split('\n') ?? []) {
    if (!` ${line} `.includes(` ${wanted} `)) continue;
    const identity = identify(Number.parseInt(line, 10));
    if (identity) found.push(identity);
  }
  return found;
}

/** Running members of a process group. */
export function groupMembers(group: number): ProcessIdentity[] {
  if (platform() !== 'linux') {
    const lines = ps(['-axo', 'pid=,pgid='])?.split('\n') ?? [];
    return lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, pgid]) => pgid === group)
      .map(([pid]) => (pid === undefined ? undefined : identify(pid)))
      .filter((identity) => identity !== undefined);
  }
  return linuxPids()
    .filter((pid) => readStat(pid)?.group === group)
    .map(identify)
    .filter((identity) => identity !== undefined);
}

function linuxByEnvironment(wanted: string): ProcessIdentity[] {
  const found: ProcessIdentity[] = [];
  for (const pid of linuxPids()) {
    if (pid === process.pid) continue;
    let environment: string;
    try {
      environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch {
      continue; // Another user's process, or gone: not ours.
    }
    if (!environment.split('\0').includes(wanted)) continue;
    const identity = identify(pid);
    if (identity) found.push(identity);
  }
  return found;
}

function linuxPids(): number[] {
  if (!hasOwnProc()) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readStat(pid: number): { state: string; group: number; started: string } | undefined {
  let text: string;
  try {
    if (pid !== process.pid && !hasOwnProc()) return undefined;
    text = readFileSync(`/proc/${pid === process.pid ? 'self' : pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in parentheses can contain spaces and parentheses: count fields after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const started = fields[19];
  return state && group && started ? { state, group: Number(group), started } : undefined;
}

function ps(args: string[]): string | undefined {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined; // `ps` fails when no process matches.
  }
}
