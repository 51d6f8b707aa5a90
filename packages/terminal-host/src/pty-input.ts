/**
 * Writes input to a PTY without blocking. Node would write until everything is accepted, which blocks the process
 * while a program reads nothing. Here the rest is queued and retried.
 */
import { writeSync } from 'node:fs';

export interface PtyInput {
  /** Queued bytes. */
  readonly waiting: number;
  write(data: Uint8Array): void;
  /** Call when the PTY is gone: its descriptor number may soon belong to another file. */
  close(): void;
}

/** Delays between retries while a program reads nothing, increasing. */
const RETRY_MS = [2, 5, 10, 20, 50];

export function openPtyInput(fd: number): PtyInput {
  const queue: Uint8Array[] = [];
  let waiting = 0;
  let tries = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const close = () => {
    isClosed = true;
    clearTimeout(timer);
    queue.length = 0;
    waiting = 0;
  };
  const flush = () => {
    timer = undefined;
    while (!isClosed && queue[0]) {
      const taken = writeSome(fd, queue[0]);
      if (taken === 'gone') return close();
      if (taken === 0) {
        timer = setTimeout(flush, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
        tries += 1;
        return;
      }
      tries = 0;
      waiting -= taken;
      if (taken === queue[0].length) queue.shift();
      else queue[0] = queue[0].subarray(taken);
    }
  };
  return {
    get waiting() {
      return waiting;
    },
    write(data) {
      if (isClosed || data.length === 0) return;
      queue.push(data);
      waiting += data.length;
      if (timer === undefined) flush();
    },
    close,
  };
}

function writeSome(fd: number, data: Uint8Array): number | 'gone' {
  try {
    return writeSync(fd, data);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EAGAIN' ? 0 : 'gone';
  }
}
