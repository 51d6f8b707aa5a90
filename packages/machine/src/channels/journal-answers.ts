/**
 * Answers a page from the session's journal while no host runs; starts nothing (H1). The messages are the same as a
 * host's. Journals are read in time slices so that other requests are served in between.
 */

import { createSegmentCache } from '@tugdeck/journal/cache';
import { diskFiles } from '@tugdeck/journal/files';
import { changesAfter, entryOf, page, tail } from '@tugdeck/journal/reading';
import { runInSlices } from '@tugdeck/local/cooperative';
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fieldText } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { backlog } from '@tugdeck/protocol/wire/backlog';
import type { HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';

export type ReadRequest = Extract<HostRequest, { type: 'follow' | 'entries' | 'text' }>;

export interface JournalAnswer {
  readonly lines: readonly string[];
  /** The version the page has reached with this answer, if it follows the session. */
  readonly v?: number;
}

/** Segments of all sessions: neighboring pages are in the same two, and a page that is scrolled asks for many. */
const loadSegment = createSegmentCache(diskFiles);

export async function answerFromJournal(
  directory: SessionDirectory,
  request: ReadRequest,
): Promise<JournalAnswer> {
  switch (request.type) {
    case 'follow': {
      const state = (await runInSlices(tail(directory))) ?? EMPTY;
      const { edition, v } = request;
      const missed = edition === state.edition ? await missedOf(directory, state, v) : undefined;
      return { lines: backlog(state, request, () => missed), v: state.v };
    }
    case 'entries': {
      const { before, limit } = request;
      const found = await runInSlices(page(directory, before, limit, { load: loadSegment }));
      return { lines: [JSON.stringify({ type: 'entries', page: found } satisfies HostMessage)] };
    }
    case 'text': {
      const { entry: id, field, from } = request;
      const state = await runInSlices(tail(directory));
      const entry = (state && entryById(state, id)) ?? (await runInSlices(entryOf(directory, id)));
      const text = entry ? fieldText(entry, field).slice(from) : '';
      const live: HostMessage = { type: 'live', appends: [{ entry: id, field, at: from, text }] };
      return { lines: [JSON.stringify(live)] };
    }
  }
}

/** Changes after `v` up to this state's version: a host may have appended more since the state was read. */
async function missedOf(
  directory: SessionDirectory,
  state: Conversation,
  v: number | undefined,
): Promise<Change[] | undefined> {
  if (v === undefined || v >= state.v) return undefined;
  const changes = await runInSlices(changesAfter(directory, v));
  return changes?.filter((change) => change.v <= state.v);
}

/**
 * Receipts for commands that took effect although their host died before it could send them. Reporting them as failed
 * would make the user send them twice (M4).
 */
export async function receiptsFromJournal(
  directory: SessionDirectory,
  commands: readonly string[],
): Promise<Map<string, string>> {
  const state = await runInSlices(tail(directory));
  const taken = commands.filter((command) => state?.receipts.includes(command));
  const receipt = (command: string): HostMessage => ({ type: 'receipt', command, v: state?.v ?? 0 });
  return new Map(taken.map((command) => [command, JSON.stringify(receipt(command))]));
}
