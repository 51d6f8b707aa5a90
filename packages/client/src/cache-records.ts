/**
 * Encodes and decodes cache records. Pure. Records may come from another version, be truncated or forged, so they
 * pass the same schemas as messages on the wire.
 */

import type { Conversation } from '@tugdeck/protocol/conversation/state';
import {
  fromSnapshot,
  type Snapshot,
  snapshotSchema,
  takeSnapshot,
} from '@tugdeck/protocol/conversation/window';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { type Deck, deckSchema } from '@tugdeck/protocol/wire/deck';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';

/** Increased when the format of records or their contents changes; older records are then ignored. */
const FORM = 1;
const VERSION = `${PAGE_VERSION}.${FORM}`;
/** Entries stored per conversation; the page loads more on demand. */
const TAIL = 200;
/** Maximum characters of one record. Longer texts mean fewer entries. */
export const MAX_RECORD = 1_000_000;
/** Upper bound for `seq`; a larger one would allocate space for entries that do not exist. */
const MAX_SEQ = 10_000_000;

/** A string, because its size is known and it can only hold JSON. */
export function windowRecord(state: Conversation): string | undefined {
  // Entries of a later page already include changes that are still to come; these would be applied twice.
  if (state.ahead.length > 0) return undefined;
  for (let tail = TAIL; tail >= 1; tail = Math.floor(tail / 2)) {
    const text = wrap(takeSnapshot(state, { tail, receipts: false }));
    if (text.length <= MAX_RECORD) return text;
  }
  return undefined;
}

export function readWindow(value: unknown): Conversation | undefined {
  const parsed = snapshotSchema.safeParse(unwrap(value));
  return parsed.success && isConsistent(parsed.data) ? fromSnapshot(parsed.data) : undefined;
}

/** Rows stored of a long list; only the newest are shown before the server answers. */
const MAX_ROWS = 500;

export function deckRecord({ more: _, ...deck }: Deck): string | undefined {
  const { sessions } = deck;
  const newest =
    sessions.length <= MAX_ROWS
      ? sessions
      : [...sessions].sort((a, b) => b.activeAt - a.activeAt).slice(0, MAX_ROWS);
  const text = wrap({ ...deck, sessions: newest });
  return text.length <= MAX_RECORD ? text : undefined;
}

export function readDeck(value: unknown): Deck | undefined {
  const parsed = deckSchema.safeParse(unwrap(value));
  return parsed.success ? parsed.data : undefined;
}

function wrap(content: unknown): string {
  return JSON.stringify({ version: VERSION, content });
}

function unwrap(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_RECORD) return undefined;
  try {
    const read: unknown = parseJson(value);
    const isOurs = typeof read === 'object' && read !== null && 'version' in read && read.version === VERSION;
    return isOurs && 'content' in read ? read.content : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether each entry is in range, unique and in order. */
function isConsistent({ entries, from, nextSeq }: Snapshot): boolean {
  if (nextSeq > MAX_SEQ || from > nextSeq) return false;
  const ids = new Set<string>();
  let last = -1;
  for (const { id, seq } of entries) {
    if (seq <= last || seq >= nextSeq || ids.has(id)) return false;
    ids.add(id);
    last = seq;
  }
  return true;
}
