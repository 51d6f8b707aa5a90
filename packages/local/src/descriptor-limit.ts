/**
 * How many files and connections this process may have open. Connections that have proven nothing get a part of it, so
 * that holding them keeps neither the user nor our own files and sockets out (X2).
 */
import { readFileSync } from 'node:fs';

const LINE = /^Max open files\s+(\d+|unlimited)/m;
/** Files, logs, the database, links to hosts. */
const OWN = 64;

/** Node raises its own limit to the highest that it may have; without `/proc` that is taken to be high. */
export function descriptorLimit(): number {
  try {
    return limitIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function limitIn(limits: string): number {
  const soft = LINE.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** As many connections as fit beside our own, and no more than `most`. */
export function connectionShare(most: number, perConnection = 1, limit = descriptorLimit()): number {
  return Math.max(16, Math.min(most, Math.floor((limit - OWN) / perConnection)));
}

/** A quarter of what is left beside our own, and no more than `most`. */
export function unprovenShare(most: number, limit = descriptorLimit()): number {
  return Math.max(8, Math.min(most, Math.floor((limit - OWN) / 4)));
}
