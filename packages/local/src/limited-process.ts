/**
 * A child process that cannot take all memory. On Linux the kernel refuses it more: a shell sets the limit and becomes the
 * program (a millisecond). Elsewhere the kernel has no such limit, so its size is looked at while it runs.
 */
import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process';
import { processTrees } from './process-figures.ts';

const hasLimit = process.platform === 'linux';
/**
 * Memory of its own (RLIMIT_DATA): files that are mapped do not count, so a large pack does not fail. A lower limit that
 * we are under ourselves stays.
 */
const LIMIT = 'ulimit -d "$0" 2>/dev/null; exec "$@"';
/** Most programs have ended by then and cost nothing. */
const LOOK_MS = 200;

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

/** Calls back once it takes more; for systems without the limit. Ended by the returned call. */
export function limitMemory(
  { pid }: { readonly pid?: number | undefined },
  maxMemory: number | undefined,
  exceeded: () => void,
  isNeeded = !hasLimit,
): () => void {
  if (!isNeeded || pid === undefined || maxMemory === undefined) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async () => {
    const sizes = await processTrees([pid]).catch(() => []);
    if (isOver) return;
    if (sizes.reduce((sum, { rss }) => sum + rss, 0) > maxMemory) exceeded();
    else timer = setTimeout(() => void look(), LOOK_MS);
  };
  timer = setTimeout(() => void look(), LOOK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
