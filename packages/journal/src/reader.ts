/** What `reading.ts` reads, at once: for programs of which nobody waits for anything else meanwhile. */
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { Page } from '@tugdeck/protocol/conversation/window';
import { changesAfter, entryOf, type Journal, page, type ReadOptions, tail } from './reading.ts';
import { atOnce } from './steps.ts';

export type { ReadOptions } from './reading.ts';

export function readTail(journal: Journal, options?: ReadOptions): Conversation | undefined {
  return atOnce(tail(journal, options));
}

export function readPage(journal: Journal, before: number, limit: number, options?: ReadOptions): Page {
  return atOnce(page(journal, before, limit, options));
}

export function changesSince(journal: Journal, v: number, options?: ReadOptions): Change[] | undefined {
  return atOnce(changesAfter(journal, v, options));
}

export function findEntry(journal: Journal, id: string, options?: ReadOptions): Entry | undefined {
  return atOnce(entryOf(journal, id, options));
}
