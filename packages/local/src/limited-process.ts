/**
 * Starts a child process with a memory limit. On Linux the kernel enforces it: a shell sets the limit and execs the
 * program (one millisecond). Other systems have no such limit, so the process size is polled.
 */
import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process';
import { processTrees } from './process-figures.ts';

const hasLimit = process.platform === 'linux';
/**
 * Limits private memory (RLIMIT_DATA). Mapped files do not count, so a large pack file does not fail.
 * A lower limit on this process still applies.
 */
const LIMIT = 'ulimit -d "$0" 2>/dev/null; exec "$@"';
/** Most programs have exited by then, so polling costs nothing. */
const CHECK_MS = 200;

export function spawnLimited(
  program: string,
  args: readonly string[],
  maxMemory: number | undefined,
  options: SpawnOptions,
): ChildProcessWithoutNullStreams {
  const isLimited = hasLimit && maxMemory !== undefined;
  const [file, all] = isLimited
    ? ['/bin/sh', ['-c', LIMIT, String(Math.floor(maxMemory / 1024)), program, ...args]]
    : [program, [...args]];
  return spawn(file, all, { ...options, stdio: 'pipe' }) as ChildProcessWithoutNullStreams;
}

/**
 * Calls back once the process exceeds the limit, on systems without RLIMIT_DATA. Returns a function that stops
 * polling.
 */
export function limitMemory(
  { pid }: { readonly pid?: number | undefined },
  maxMemory: number | undefined,
  exceeded: () => void,
  isNeeded = !hasLimit,
): () => void {
  if (!isNeeded || pid === undefined || maxMemory === undefined) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const check = async () => {
    const sizes = await processTrees([pid]).catch(() => []);
    if (isOver) return;
    if (sizes.reduce((sum, { rss }) => sum + rss, 0) > maxMemory) exceeded();
    else timer = setTimeout(() => void check(), CHECK_MS);
  };
  timer = setTimeout(() => void check(), CHECK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
