import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JournalWriter, openJournal } from '@tugdeck/journal/writer';
import { dataDirectory, type SessionDirectory } from '@tugdeck/local/data-directory';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { type HostMessage, hostMessageSchema } from '@tugdeck/protocol/wire/host-link';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerFromJournal, type ReadRequest } from '../src/channels/journal-answers.ts';

let root: string;
let directory: SessionDirectory;
let state: Conversation;
let writer: JournalWriter;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tugdeck-answers-'));
  directory = dataDirectory(root).session('s');
  ({ state, writer } = openJournal(directory, { now: () => 1 }));
});
afterEach(() => {
  writer.close();
  rmSync(root, { recursive: true, force: true });
});

function write(body: ChangeBody): void {
  const change: Change = { ...body, v: state.v + 1, at: 1 };
  state = fold(state, change);
  writer.append([change], state);
}

async function read(request: ReadRequest): Promise<{ messages: HostMessage[]; v: number | undefined }> {
  const { lines, v } = await answerFromJournal(directory, request);
  return { messages: lines.map((line) => hostMessageSchema.parse(JSON.parse(line))), v };
}

const OPENED: ChangeBody = {
  kind: 'entry.opened',
  entry: { id: 'e', kind: 'text', status: 'partial', text: '' },
};

test('H1 a session without a journal is empty', async () => {
  const { messages, v } = await read({ type: 'follow' });
  expect(messages).toMatchObject([{ type: 'snapshot', snapshot: { v: 0, entries: [] } }]);
  expect(v).toBe(0);
});

test('M2 a page that has a version gets exactly the changes after it', async () => {
  for (const agentTitle of ['one', 'two', 'three'])
    write({ kind: 'session.described', facts: { agentTitle } });
  const { messages, v } = await read({ type: 'follow', v: 1 });
  expect(messages).toMatchObject([
    {
      type: 'changes',
      changes: [
        { v: 2, facts: { agentTitle: 'two' } },
        { v: 3, facts: { agentTitle: 'three' } },
      ],
    },
  ]);
  expect(v).toBe(3);
  expect((await read({ type: 'follow', v: 3 })).messages).toEqual([{ type: 'changes', changes: [] }]);
});

test('M2 a version that the journal never had is answered with a snapshot', async () => {
  write({ kind: 'session.described', facts: { agentTitle: 'one' } });
  expect((await read({ type: 'follow', v: 99 })).messages).toMatchObject([
    { type: 'snapshot', snapshot: { v: 1 } },
  ]);
});

test('M2 text of an open entry is sent from where the page has it', async () => {
  write(OPENED);
  writer.checkpoint([{ entry: 'e', field: 'text', at: 0, text: 'half a sentence' }]);
  expect((await read({ type: 'follow', v: 1 })).messages).toMatchObject([
    { type: 'changes', changes: [] },
    { type: 'live', appends: [{ entry: 'e', field: 'text', at: 0, text: 'half a sentence' }] },
  ]);
  const have = [{ entry: 'e', field: 'text' as const, length: 5 }];
  expect((await read({ type: 'follow', v: 1, have })).messages.at(-1)).toMatchObject({
    appends: [{ at: 5, text: 'a sentence' }],
  });
  expect((await read({ type: 'text', entry: 'e', field: 'text', from: 7 })).messages).toMatchObject([
    { type: 'live', appends: [{ at: 7, text: 'sentence' }] },
  ]);
});

test('M3 older entries are sent as a page with its version', async () => {
  write(OPENED);
  write({ kind: 'entry.closed', entry: 'e', status: 'complete', patch: { text: 'done' } });
  expect((await read({ type: 'entries', before: 1, limit: 10 })).messages).toMatchObject([
    { type: 'entries', page: { v: 2, from: 0, to: 1, entries: [{ id: 'e', text: 'done' }] } },
  ]);
});
