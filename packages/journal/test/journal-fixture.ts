/** A journal in a temporary directory, written by a random host. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory, type SessionDirectory } from '@tugdeck/local/data-directory';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { afterEach } from 'vitest';
import { createRandomHost, type RandomHost } from '../../protocol/test/random-conversation.ts';
import { diskFiles, type SegmentFiles } from '../src/files.ts';
import type { JournalWriter } from '../src/writer.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

export const now = () => 1;

export function temporarySession(): SessionDirectory {
  const root = mkdtempSync(join(tmpdir(), 'tugdeck-journal-'));
  roots.push(root);
  return dataDirectory(root).session('s1');
}

export interface Written {
  readonly host: RandomHost;
  /** The expected state after each line. */
  readonly states: Conversation[];
}

/** Lets a random host write `steps` lines. */
export function writeRandom(writer: JournalWriter, seed: number, steps: number): Written {
  const host = createRandomHost(seed);
  const states: Conversation[] = [];
  for (let left = steps; left > 0; left--) {
    const step = host.step();
    if (step.type === 'changes') writer.append(step.changes, host.state);
    else writer.checkpoint(step.appends);
    states.push(host.state);
  }
  return { host, states };
}

/** Writes bodies as one batch and returns the state after them. */
export function write(
  writer: JournalWriter,
  before: Conversation,
  bodies: readonly ChangeBody[],
): Conversation {
  const changes = bodies.map((body, index) => ({ ...body, v: before.v + 1 + index, at: 5 }) as Change);
  const after = foldAll(before, changes);
  writer.append(changes, after);
  return after;
}

export function notice(id: string, text = `text of ${id}`): ChangeBody {
  return {
    kind: 'entry.opened',
    entry: { id, kind: 'notice', status: 'complete', text, notice: 'info', level: 'info' },
  };
}

export function openText(id: string): ChangeBody {
  return { kind: 'entry.opened', entry: { id, kind: 'text', status: 'partial', text: '' } };
}

/** Counts which segments and how many bytes are read. */
export function countingFiles(): SegmentFiles & {
  bytes: number;
  readonly read: SegmentFiles['read'];
  seen: Set<string>;
} {
  const counting = {
    ...diskFiles,
    bytes: 0,
    seen: new Set<string>(),
    read(file: string, start: number, length: number): Buffer {
      const read = diskFiles.read(file, start, length);
      counting.bytes += read.length;
      if (read.length > 128) counting.seen.add(file);
      return read;
    },
  };
  return counting;
}
