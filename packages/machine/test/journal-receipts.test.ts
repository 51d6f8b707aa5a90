import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { expect, test } from 'vitest';
import { receiptsFromJournal } from '../src/channels/journal-answers.ts';

test('M4 a command journaled by a dead host is acknowledged, another is not', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tugdeck-receipt-'));
  try {
    const directory = dataDirectory(root).session('11111111-1111-4111-8111-111111111111');
    expect(await receiptsFromJournal(directory, ['c'])).toEqual(new Map());
    const { state, writer } = openJournal(directory, { now: () => 1 });
    const prompt = { id: 'c', text: 'hello' };
    const change: Change = { kind: 'prompt.accepted', prompt, v: state.v + 1, at: 1, cause: 'c' };
    writer.append([change], fold(state, change));
    const receipt = JSON.stringify({ type: 'receipt', command: 'c', v: change.v });
    expect(await receiptsFromJournal(directory, ['other', 'c'])).toEqual(new Map([['c', receipt]]));
    writer.close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
