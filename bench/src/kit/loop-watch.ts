/**
 * How long the loop of this process was held at most: by the processor time that its thread used meanwhile, for on a
 * busy machine a loop is held by everybody else. Where the system does not tell a thread's time, that of all threads.
 */
import { existsSync, readFileSync } from 'node:fs';

/** Of the first thread: nanoseconds at work, and waiting for a processor. */
const SCHEDULED = '/proc/self/schedstat';
const isTold = existsSync(SCHEDULED);

export interface LoopWatch {
  /** Ends the watch. */
  longest(): number;
}

export function watchLoop(): LoopWatch {
  let longest = 0;
  let at = performance.now();
  let used = usedMs();
  const look = () => {
    longest = Math.max(longest, Math.min(performance.now() - at, usedMs() - used));
    at = performance.now();
    used = usedMs();
  };
  const timer = setInterval(look, 1);
  return {
    longest() {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}

function usedMs(): number {
  if (isTold) return Number(readFileSync(SCHEDULED, 'latin1').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
