/** The reader's progress as reported by the product, and its peak memory. */
import { readFileSync } from 'node:fs';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import type { ReaderState } from '@tugdeck/local/reader-link';
import { childrenOf, commandOf, waitFor } from '@tugdeck/testkit/process-facts';
import type { Product } from '../kit/product.ts';

export async function readerState(product: Product): Promise<ReaderState | undefined> {
  const server = findServer(product.data.ledger);
  const answer = server && (await requestServer(server, { type: 'status' }));
  return answer?.type === 'status' ? answer.status.reader : undefined;
}

/** Resolves when all these files are listed and indexed. */
export function waitForIndex(product: Product, files: number, timeoutMs: number): Promise<ReaderState> {
  const whole = async () => {
    const now = await readerState(product);
    return now?.listed && now.files >= files && now.unread === 0 ? now : undefined;
  };
  return waitFor(whole, { what: `the index of ${files} files`, timeoutMs, intervalMs: 250 });
}

/** Peak memory of the reader in megabytes. Linux only. */
export function readerPeak(product: Product): number {
  const status = readFileSync(`/proc/${readerPid(product)}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** CPU time of the reader's main thread in milliseconds, without other processes. Linux only. */
export function readerTime(product: Product): () => number {
  const pid = readerPid(product);
  return () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
}

function readerPid(product: Product): number {
  const pid = findServer(product.data.ledger)?.identity.pid;
  const readers =
    pid === undefined ? [] : childrenOf(pid).filter((child) => commandOf(child).includes('reader.mjs'));
  const [reader] = readers;
  if (reader === undefined) throw new Error('the server has no reader');
  return reader;
}
