/**
 * Estimates the tokens written in a turn so far. Agents report the exact number only at the end of a request or
 * turn; until then, the streamed length is counted. Pure.
 */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';

/** Average characters per token in prose and code. */
const CHARACTERS = 4;

/** Entries are frozen, so an input is measured once. */
const lengths = new WeakMap<Entry, number>();

export function turnTokens({ turn, turns, entries }: Conversation): number {
  const running = turns.findLast(({ id }) => id === turn?.id);
  if (!running) return 0;
  let characters = 0;
  for (const entry of entriesFrom(entries, running.firstSeq)) {
    if (entry.turn === running.id) characters += written(entry);
  }
  return Math.round(characters / CHARACTERS);
}

function written(entry: Entry): number {
  switch (entry.kind) {
    case 'text':
    case 'thinking':
      return entry.text.length + (entry.more?.size ?? 0);
    case 'tool':
      return entry.inputText ? entry.inputText.length : inputLength(entry, entry.input);
    default:
      return 0;
  }
}

function inputLength(entry: Entry, input: unknown): number {
  const known = lengths.get(entry);
  if (known !== undefined) return known;
  const length = input === undefined ? 0 : (JSON.stringify(input)?.length ?? 0);
  lengths.set(entry, length);
  return length;
}
