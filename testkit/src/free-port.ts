// A port for a program that needs its number in advance. Below the system's own range, from which every `listen(0)` and every
// outgoing connection takes one, and above the product's: nobody else takes it before the program does.
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 17_000;
const LAST = 32_000;

/** Test processes run at the same time: each starts at another number and counts up. */
let next = FIRST + ((process.pid * 97) % (LAST - FIRST));

export async function freePort(): Promise<number> {
  for (let tried = FIRST; tried < LAST; tried++) {
    const port = next;
    next = next + 1 < LAST ? next + 1 : FIRST;
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isListening) return false;
  probe.close();
  await once(probe, 'close');
  return true;
}
