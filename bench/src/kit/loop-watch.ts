/** How long the loop of this process was held at most, without what it waited for a processor. */
import { createRequire } from 'node:module';

type LoopClock = () => () => { held: number; passed: number };
const loopClock = createRequire(import.meta.url)('./loop-clock.cjs') as LoopClock;

export interface LoopWatch {
  /** Ends the watch. */
  longest(): number;
}

export function watchLoop(): LoopWatch {
  const look = loopClock();
  let longest = 0;
  const note = () => {
    longest = Math.max(longest, look().held);
  };
  const timer = setInterval(note, 1);
  return {
    longest() {
      note();
      clearInterval(timer);
      return longest;
    },
  };
}
