/**
 * The number of files and connections that this process may have open. Unauthenticated connections get only a share
 * of it, so that they cannot lock out the user or use up the descriptors that we need (X2).
 */
import { readFileSync } from 'node:fs';

const LINE = /^Max open files\s+(\d+|unlimited)/m;
/** Files, logs, the database, connections to hosts. */
const OWN = 64;

/** Node raises its soft limit to the hard limit; without `/proc` we assume a high one. */
export function descriptorLimit(): number {
  try {
    return parseLimit(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function parseLimit(limits: string): number {
  const soft = LINE.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** The number of connections that fit after our own needs, but at most `max`. */
export function connectionShare(max: number, perConnection = 1, limit = descriptorLimit()): number {
  return Math.max(16, Math.min(max, Math.floor((limit - OWN) / perConnection)));
}

/** A quarter of the rest after our own needs, but at most `max`. */
export function unauthenticatedShare(max: number, limit = descriptorLimit()): number {
  return Math.max(8, Math.min(max, Math.floor((limit - OWN) / 4)));
}
