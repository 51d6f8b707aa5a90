/**
 * Answers to a page that follows a session without a live host: read from its journal, starting nothing (H1).
 * The words are those of a host, so that a page cannot tell the difference.
 */
import { changesSince, findEntry, readPage, readTail } from '@tugdeck/journal/reader';
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import { fieldText } from '@tugdeck/protocol/conversation/fold';
import { EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { backlog } from '@tugdeck/protocol/wire/backlog';
import type { HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';

export type ReadRequest = Extract<HostRequest, { type: 'follow' | 'entries' | 'text' }>;

export interface JournalAnswer {
  readonly lines: readonly string[];
  /** The version that the page has reached with it, if it follows. */
  readonly v?: number;
}

export function answerFromJournal(directory: SessionDirectory, request: ReadRequest): JournalAnswer {
  switch (request.type) {
    case 'follow': {
      const state = readTail(directory) ?? EMPTY;
      return { lines: backlog(state, request, (v) => changesSince(directory, v)), v: state.v };
    }
    case 'entries': {
      const page = readPage(directory, request.before, request.limit);
      return { lines: [JSON.stringify({ type: 'entries', page } satisfies HostMessage)] };
    }
    case 'text': {
      const { entry: id, field, from } = request;
      const tail = readTail(directory);
      const entry = (tail && entryById(tail, id)) ?? findEntry(directory, id);
      const text = entry ? fieldText(entry, field).slice(from) : '';
      const live: HostMessage = { type: 'live', appends: [{ entry: id, field, at: from, text }] };
      return { lines: [JSON.stringify(live)] };
    }
  }
}

/**
 * The receipt of a command that took effect though nobody could say so: its host died between writing it down and
 * telling. To say that it failed would make the user send it twice (M4).
 */
export function receiptFromJournal(directory: SessionDirectory, command: string): string | undefined {
  const state = readTail(directory);
  if (!state?.receipts.includes(command)) return undefined;
  return JSON.stringify({ type: 'receipt', command, v: state.v } satisfies HostMessage);
}
