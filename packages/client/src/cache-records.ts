/**
 * What is written into the cache and read from it again. Pure. What is read may be of another version, cut
 * or made by somebody else: it passes the same schemas as what comes over the wire, or it is nothing.
 */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import {
  fromSnapshot,
  type Snapshot,
  snapshotSchema,
  takeSnapshot,
} from '@tugdeck/protocol/conversation/window';
import { type Deck, deckSchema } from '@tugdeck/protocol/wire/deck';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';

/** Raised when the form of a record or of what is inside changes: older ones are then nothing. */
const FORM = 1;
const VERSION = `${PAGE_VERSION}.${FORM}`;
/** Entries kept of a conversation; more come as pages. */
const TAIL = 200;
/** Characters of one record. With longer texts fewer entries are kept. */
export const MAX_RECORD = 1_000_000;
/** No conversation is longer; a `seq` beyond it would make room for entries that are not there. */
const MAX_SEQ = 10_000_000;

/** A string, because its size is known and nothing but JSON can be in it. */
export function windowRecord(state: Conversation): string | undefined {
  // Entries that came with a later page contain changes that are still to come: they would be applied twice.
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

/** Of a long list the newest: what is seen before the server speaks. */
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
    const read: unknown = JSON.parse(value);
    const isOurs = typeof read === 'object' && read !== null && 'version' in read && read.version === VERSION;
    return isOurs && 'content' in read ? read.content : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The entries lie where they say, each once, in order. */
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
