/** Takes, checks and releases locks as commanded on stdin, and answers each line with one word. */
import { createInterface } from 'node:readline';
import { type Lock, takeLock } from '../src/lock.ts';

let lock: Lock | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const [word, file = ''] = line.split(' ');
  console.log(word === 'take' ? take(file) : word === 'held' ? held() : release());
}

function take(file: string): string {
  try {
    lock = takeLock(file);
    return 'taken';
  } catch (error) {
    lock = undefined;
    return (error as { code?: string }).code ?? String(error);
  }
}

function held(): string {
  return lock?.isHeld() ? 'yes' : 'no';
}

function release(): string {
  lock?.release();
  return 'released';
}
