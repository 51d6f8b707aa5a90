/**
 * CPU time and memory of a process and all its children, for the statistics card. Reads only; called a few times a
 * minute at most.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface ProcessFigures {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Seconds of CPU time since it started. */
  readonly cpuSeconds: number;
  readonly rss: number;
}

/** Clock ticks per second in `/proc`: the same on every Linux that Node supports. */
const TICKS = 100;
const MAX_PROCESSES = 2_000;
/** Number of processes between two pauses. */
const STRIDE = 50;

/** The given processes that are alive, each followed by its children. */
export async function processTrees(roots: readonly number[]): Promise<ProcessFigures[]> {
  const isLinux = platform() === 'linux';
  const all = isLinux ? undefined : await everyProcess();
  const children = isLinux ? linuxChildren : (pid: number) => childrenOf(all, pid);
  const figures = isLinux ? linuxFigures : (pid: number) => all?.get(pid);
  const found = new Map<number, ProcessFigures>();
  const waiting = [...roots];
  while (waiting.length > 0 && found.size < MAX_PROCESSES) {
    const pid = waiting.shift();
    if (pid === undefined || found.has(pid)) continue;
    const one = figures(pid);
    if (!one) continue;
    found.set(pid, one);
    waiting.push(...children(pid));
    if (found.size % STRIDE === 0) await turn();
  }
  return [...found.values()];
}

function linuxFigures(pid: number): ProcessFigures | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  const memory = readProc(`/proc/${pid}/status`);
  if (text === undefined) return undefined;
  // The name in parentheses can contain spaces and parentheses: count fields after the last one.
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  // A zombie.
  if (fields[0] === 'Z') return undefined;
  const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(memory ?? '')?.[1] ?? 0);
  return {
    pid,
    parent: Number(fields[1]),
    name: text.slice(open + 1, close),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    rss: rssKb * 1024,
  };
}

function linuxChildren(pid: number): number[] {
  const text = readProc(`/proc/${pid}/task/${pid}/children`);
  return text ? text.trim().split(' ').filter(Boolean).map(Number) : [];
}

/** Synchronous: the kernel has it in memory, and a thread pool round trip would cost an idle server more. */
function readProc(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined; // The process has ended.
  }
}

const run = promisify(execFile);

async function everyProcess(): Promise<Map<number, ProcessFigures>> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,rss=,time=,comm='], { maxBuffer: 8 * 1024 * 1024 });
  const all = new Map<number, ProcessFigures>();
  for (const line of stdout.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (!match) continue;
    const [, pid = '', parent = '', rssKb = '', time = '', command = ''] = match;
    all.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      name: command.split('/').at(-1) ?? command,
      cpuSeconds: seconds(time),
      rss: Number(rssKb) * 1024,
    });
  }
  return all;
}

function childrenOf(all: ReadonlyMap<number, ProcessFigures> | undefined, parent: number): number[] {
  return [...(all?.values() ?? [])].filter((one) => one.parent === parent).map(({ pid }) => pid);
}

/** `[dd-]hh:mm:ss` or `mm:ss.cc`. */
function seconds(time: string): number {
  const [rest = '', days = '0'] = time.split('-').reverse();
  return rest.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}
