/** Indexes our own journals for search (S5). Open entries are indexed later. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexedText } from '@tugdeck/drivers/kit/history';
import { type ReadOptions, readPage, readTail } from '@tugdeck/journal/reader';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { PAGE } from '@tugdeck/protocol/conversation/window';
import { resultText } from '@tugdeck/protocol/export/entry-text';
import type { IndexWriter } from './index-writer.ts';
import type { SessionFile } from './session-files.ts';

/** Size and last write time of a journal; undefined if it does not exist. */
export function journalState(folder: string): { size: number; mtime: number } | undefined {
  try {
    let [size, mtime] = [0, 0];
    for (const name of readdirSync(folder)) {
      const facts = statSync(join(folder, name));
      size += facts.size;
      mtime = Math.max(mtime, facts.mtimeMs);
    }
    return { size, mtime };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Indexes the next page of a journal; true if more is left. At the end, the journal's size is saved in the same
 * transaction, so that a restarted reader knows what was indexed.
 */
export function indexJournal(
  data: DataDirectory,
  writer: IndexWriter,
  file: SessionFile,
  segments: ReadOptions,
): boolean {
  const directory = data.session(file.session);
  const state = readTail(directory, segments);
  if (!state) return false;
  const to = Math.min(state.nextSeq, ...Object.values(state.open));
  const end = Math.max(file.done, Math.min(to, file.done + PAGE));
  for (const entry of readPage(directory, end, end - file.done, segments).entries) {
    if (entry.seq < file.done) continue;
    const searchable = searchableText(entry);
    if (searchable) writer.add(file, entry.seq, 0, searchable);
  }
  writer.setProgress(file, { done: end, facts: file.facts, memory: end < to ? undefined : file.size });
  return end < to;
}

/** Whether the whole journal is indexed. */
export function isIndexed({ memory, size }: SessionFile): boolean {
  return memory === size;
}

/** The searchable text of an entry. */
export function searchableText(entry: Entry): IndexedText | undefined {
  const { id, at } = entry;
  switch (entry.kind) {
    case 'user':
      return { entry: id, kind: 'prompt', at, text: entry.text };
    case 'text':
    case 'plan':
    case 'command':
      return { entry: id, kind: 'answer', at, text: entry.text };
    case 'tool': {
      const { title, fields = [], result, output = '', error } = entry;
      const input = fields.map(({ value }) => shortOf(value));
      const files = result?.type === 'matches' && result.text !== undefined ? result.files : [];
      const found = result && result.type !== 'image' ? resultText(result, shortOf) : '';
      const texts = [title, ...input, ...files, found, output, shortOf(error ?? '')];
      return { entry: id, kind: 'tool', at, text: texts.filter((text) => text !== '').join('\n') };
    }
    default:
      return undefined;
  }
}

function shortOf(text: LongText): string {
  return typeof text === 'string' ? text : `${text.head} ${text.tail}`;
}
