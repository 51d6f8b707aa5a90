/**
 * An external session as pages see it (A40): the newest part first, older parts on request, appended lines as
 * changes. Speaks the same protocol as a session host. If the beginning of the file was not read, entry numbers are
 * arbitrary, so the view has its own edition.
 */
import { randomUUID } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { readRange, readStep, withFile } from '@tugdeck/drivers/kit/file-lines';
import type { HistoryPart, HistorySource, PartOptions } from '@tugdeck/drivers/kit/history';
import { MAX_READ, type NewestPart, readNewestPart } from '@tugdeck/drivers/kit/newest-part';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fieldText } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, entryById } from '@tugdeck/protocol/conversation/state';
import { PAGE, takeSnapshot } from '@tugdeck/protocol/conversation/window';
import type { HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';

/** More is read if the end of a file has fewer entries than this. */
const SCREEN = 60;
/** First read size of an older part, from its end. */
const OLDER_READ = 2 * 1024 * 1024;
/** Approximate size limit of a message to a page. */
const MAX_MESSAGE = 1024 * 1024;
/** Older parts kept in memory. */
const MAX_OLDER_PARTS = 3;

/** A part before the newest. Its entries are dropped and read again as needed. */
interface OlderPart {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly before: string | undefined;
  /** End offset of the part, and the last line of its thread. */
  readonly end: number;
  readonly until: string;
  entries: readonly Entry[] | undefined;
}

export interface FileViewOptions extends Pick<PartOptions, 'file' | 'facts' | 'spill'> {
  readonly source: HistorySource;
}

export class FileView {
  readonly #options: FileViewOptions;
  #part: HistoryPart;
  #edition = randomUUID();
  /** End offset of the newest part. */
  #end: number;
  readonly #older: OlderPart[] = [];

  constructor(options: FileViewOptions) {
    this.#options = options;
    const { part, end } = this.#readNewest();
    this.#part = part;
    this.#end = end;
  }

  get state(): Conversation {
    return { ...this.#part.conversation, edition: this.#edition };
  }

  get isIdle(): boolean {
    return this.#part.isIdle;
  }

  /** Reads appended lines; returns the messages for followers. */
  refresh(): string[] {
    const { file } = this.#options;
    const changes: Change[] = [];
    const isWhole = withFile(file, (descriptor) => {
      const { size } = fstatSync(descriptor);
      if (size < this.#end) return false;
      for (;;) {
        const step = readStep(descriptor, this.#end, size);
        if (step.end === this.#end) return true;
        for (const { text } of step.lines) {
          const more = this.#part.take(text);
          if (!more) return false;
          changes.push(...more);
        }
        this.#end = step.end;
      }
    });
    if (isWhole) return changeLines(changes);
    // A different branch, or the file was rewritten.
    const { part, end } = this.#readNewest();
    this.#part = part;
    this.#end = end;
    this.#edition = randomUUID();
    this.#older.length = 0;
    return [this.#snapshot()];
  }

  /** No program is using the session: closes what still looks as if it were running. */
  settle(): string[] {
    return this.#part.conversation.turn ? changeLines(this.#part.settle()) : [];
  }

  answer(request: HostRequest): string[] {
    switch (request.type) {
      case 'follow': {
        const isSame = request.edition === this.#edition && request.v === this.#part.conversation.v;
        return isSame
          ? [JSON.stringify({ type: 'changes', changes: [] } satisfies HostMessage)]
          : [this.#snapshot()];
      }
      case 'entries':
        return [this.#page(request.before, request.limit)];
      case 'text': {
        const { entry: id, field, from } = request;
        const entry = entryById(this.#part.conversation, id);
        const text = entry ? fieldText(entry, field).slice(from) : '';
        return [
          JSON.stringify({
            type: 'live',
            appends: [{ entry: id, field, at: from, text }],
          } satisfies HostMessage),
        ];
      }
      default:
        return [];
    }
  }

  #readNewest(): NewestPart {
    return readNewestPart(this.#options.source, this.#options, ({ conversation }) => {
      return conversation.nextSeq - conversation.from >= SCREEN;
    });
  }

  #snapshot(): string {
    for (let tail = PAGE; ; tail = Math.floor(tail / 2)) {
      const snapshot = takeSnapshot(this.state, { tail, receipts: false });
      const line = JSON.stringify({ type: 'snapshot', snapshot } satisfies HostMessage);
      if (line.length <= MAX_MESSAGE || tail <= 4) return line;
    }
  }

  #page(before: number, limit: number): string {
    const { from, v } = this.#part.conversation;
    const entries = before > from ? this.#newest(before, limit) : this.#olderThan(before, limit);
    for (let most = entries.length; ; most = Math.floor(most / 2)) {
      const some = entries.slice(entries.length - most);
      const page = { v, from: some[0]?.seq ?? before, to: before, entries: some };
      const line = JSON.stringify({ type: 'entries', page } satisfies HostMessage);
      if (line.length <= MAX_MESSAGE || most <= 1) return line;
    }
  }

  #newest(before: number, limit: number): Entry[] {
    const state = this.#part.conversation;
    const from = Math.max(state.from, before - limit);
    const entries: Entry[] = [];
    for (const entry of entriesFrom(state.entries, from)) {
      if (entry.seq >= before) break;
      entries.push(entry);
    }
    return entries;
  }

  #olderThan(before: number, limit: number): readonly Entry[] {
    const part = this.#older.find(({ from, to }) => from < before && before <= to) ?? this.#readOlder(before);
    if (!part) return [];
    part.entries ??= entriesOf(this.#readPart(part.end, part.until), part.from);
    for (const other of this.#older.slice(0, -MAX_OLDER_PARTS)) if (other !== part) other.entries = undefined;
    return part.entries.slice(Math.max(0, before - limit - part.from), before - part.from);
  }

  /** Reads older parts until one contains the entry before `before`. */
  #readOlder(before: number): OlderPart | undefined {
    for (;;) {
      const known = this.#older.at(-1);
      const { start: end, before: until } = known ?? this.#part;
      const to = known?.from ?? this.#part.conversation.from;
      if (until === undefined || end === 0) return undefined;
      const part = this.#readPart(end, until);
      const from = to - part.conversation.nextSeq;
      const older: OlderPart = {
        from,
        to,
        start: part.start,
        before: part.before,
        end,
        until,
        entries: entriesOf(part, from),
      };
      this.#older.push(older);
      if (from < before && before <= to) return older;
    }
  }

  #readPart(end: number, until: string): HistoryPart {
    return withFile(this.#options.file, (descriptor) => {
      for (let length = OLDER_READ; ; length *= 4) {
        const from = Math.max(0, end - length);
        const isWhole = from === 0 || length >= MAX_READ;
        const part = this.#options.source.part(readRange(descriptor, from, end), {
          ...this.#options,
          isWhole,
          until,
          seq: 0,
        });
        if (!part) continue;
        part.settle();
        return part;
      }
    });
  }
}

/** Numbers the entries relative to the newest part. */
function entriesOf({ conversation }: HistoryPart, from: number): Entry[] {
  return [...entriesFrom(conversation.entries)].map((entry) => ({ ...entry, seq: entry.seq + from }));
}

function changeLines(changes: readonly Change[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < changes.length; at += PAGE) {
    const some = changes.slice(at, at + PAGE);
    lines.push(JSON.stringify({ type: 'changes', changes: some } satisfies HostMessage));
  }
  return lines;
}
