/** The longest block of this process's event loop, without time spent waiting for a core. */
import { createRequire } from 'node:module';

type LoopClock = () => () => { held: number; passed: number };
const loopClock = createRequire(import.meta.url)('./loop-clock.cjs') as LoopClock;

export interface LoopWatch {
  /** Stops watching and returns the result. */
  longest(): number;
}

export function watchLoop(): LoopWatch {
  const look = loopClock();
  let longest = 0;
  const record = () => {
    longest = Math.max(longest, look().held);
  };
  const timer = setInterval(record, 1);
  return {
    longest() {
      record();
      clearInterval(timer);
      return longest;
    },
  };
}
