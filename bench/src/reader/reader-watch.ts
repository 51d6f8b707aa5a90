/** What the running product says of its reader, and its memory at its highest. */
import { readFileSync } from 'node:fs';
import type { ReaderState } from '@tugdeck/local/reader-link';
import { askServer, findServer } from '@tugdeck/server/control/control-client';
import { childrenOf, waitFor } from '@tugdeck/testkit/process-facts';
import type { Product } from '../kit/product.ts';

export async function readerState(product: Product): Promise<ReaderState | undefined> {
  const server = findServer(product.data.ledger);
  const answer = server && (await askServer(server, { type: 'status' }));
  return answer?.type === 'status' ? answer.status.reader : undefined;
}

/** Resolves when all these files are listed and in the index. */
export function wholeIndex(product: Product, files: number, timeoutMs: number): Promise<ReaderState> {
  const whole = async () => {
    const now = await readerState(product);
    return now?.listed && now.files >= files && now.unread === 0 ? now : undefined;
  };
  return waitFor(whole, { what: `the index of ${files} files`, timeoutMs, intervalMs: 250 });
}

/** The most that the reader ever had in memory, in megabytes. Linux only. */
export function readerPeak(product: Product): number {
  const pid = findServer(product.data.ledger)?.identity.pid;
  const readers =
    pid === undefined ? [] : childrenOf(pid).filter((child) => commandOf(child).includes('reader.mjs'));
  const [reader] = readers;
  if (reader === undefined) throw new Error('the server has no reader');
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${reader}/status`, 'utf8'))?.[1]) / 1024;
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
