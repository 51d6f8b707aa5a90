/**
 * Our own sessions for the search (S5): entries from their journals, read through the same fold as everywhere. What is
 * still being written is left for later.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexedText } from '@tugdeck/drivers/kit/history';
import { type ReadOptions, readPage, readTail } from '@tugdeck/journal/reader';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Entry, LongText, ToolResult } from '@tugdeck/protocol/conversation/entries';
import { PAGE } from '@tugdeck/protocol/conversation/window';
import type { IndexWriter } from './index-writer.ts';
import type { SessionFile } from './session-files.ts';

/** Bytes of a journal and when it was last written; nothing where there is none. */
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
 * The next page of a session of ours into the index; true when there is another. When there is none, the size of the
 * journal that was read is kept with it, in the same transaction: what was only seen is read by the next reader.
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
    const said = searchableText(entry);
    if (said) writer.add(file, entry.seq, 0, said);
  }
  writer.setProgress(file, { done: end, facts: file.facts, memory: end < to ? undefined : file.size });
  return end < to;
}

/** Whether all of its journal is in the index. */
export function isIndexed({ memory, size }: SessionFile): boolean {
  return memory === size;
}

/** What an entry says, for the index and for what is shown of a match. */
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
      const words = [title, ...input, ...(result ? resultTexts(result) : []), output, shortOf(error ?? '')];
      return { entry: id, kind: 'tool', at, text: words.filter((text) => text !== '').join('\n') };
    }
    default:
      return undefined;
  }
}

function resultTexts(result: ToolResult): string[] {
  switch (result.type) {
    case 'terminal':
      return [shortOf(result.stdout), shortOf(result.stderr)];
    case 'matches':
      return [...result.files, shortOf(result.text ?? '')];
    case 'text':
    case 'file':
    case 'agent':
      return [shortOf(result.text)];
    case 'json':
      return [JSON.stringify(result.value) ?? ''];
    case 'image':
      return [];
  }
}

function shortOf(text: LongText): string {
  return typeof text === 'string' ? text : `${text.head} ${text.tail}`;
}
