/** Reads a whole session from its journal, page by page, with long texts restored (L6). Needs no host and no lock. */
import { createSegmentCache } from '@tugdeck/journal/cache';
import { diskFiles } from '@tugdeck/journal/files';
import { readPage, readTail } from '@tugdeck/journal/reader';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { PAGE } from '@tugdeck/protocol/conversation/window';
import type { Context } from '../commands/context.ts';
import { longTexts } from './followed-session.ts';

export interface Transcript {
  /** The final state; its entries are only a window. */
  readonly state: Conversation;
  readonly entries: readonly Entry[];
}

/** The state of a session without its older entries; undefined if it has no journal. */
export function readState(context: Context, session: string): Conversation | undefined {
  return readTail(context.settings.data.session(session), { load: createSegmentCache(diskFiles) });
}

export function readTranscript(context: Context, session: string): Transcript {
  const directory = context.settings.data.session(session);
  const options = { load: createSegmentCache(diskFiles) };
  const long = longTexts(context, session);
  const state = readTail(directory, options) ?? EMPTY;
  const pages: (readonly Entry[])[] = [];
  for (let before = state.nextSeq; before > 0; ) {
    const page = readPage(directory, before, PAGE, options);
    pages.unshift(page.entries);
    before = page.from;
  }
  const entries = pages.flat().map((entry) => {
    if (!('text' in entry) || entry.more === undefined) return entry;
    const { more, ...rest } = entry;
    return { ...rest, text: long(more) } as Entry;
  });
  return { state, entries };
}
