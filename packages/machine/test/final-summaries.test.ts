import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { expect, onTestFinished, test } from 'vitest';
import { FinalSummaries } from '../src/sessions/final-summaries.ts';

/** A session whose journal is at version 1; `known` are the row's versions, one after another. */
function place({ known = [0], isLive = false }: { known?: number[]; isLive?: boolean } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'tugdeck-last-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const data = dataDirectory(root);
  const { state, writer } = openJournal(data.session('s'), { now: () => 1 });
  const change: Change = { kind: 'agent.changed', agent: { state: 'idle' }, v: 1, at: 1 };
  writer.append([change], fold(state, change));
  writer.close();
  const published: Summary[] = [];
  const rows: string[] = [];
  const versions = [...known];
  const summary = () => ({
    v: versions.length > 1 ? versions.shift() : versions[0],
    agentState: 'connected',
  });
  const summaries = new FinalSummaries({
    data,
    sessions: {
      find: () => ({ summary: summary() }) as SessionRow,
      recordSummary: (_, words) => published.push(words) > 0,
      *walk() {
        yield { id: 's', activeAt: 1 };
      },
    },
    isLive: () => isLive,
    published: (session) => rows.push(session),
    log: { warn: () => undefined },
  });
  return { data, summaries, published, rows };
}

test('S5 publishes the final state from the journal', async () => {
  const { summaries, published, rows } = place({ known: [1] });
  await summaries.publish('s');
  expect(published).toMatchObject([{ v: 1, agentState: 'idle' }]);
  expect(rows).toEqual(['s']);
});

test('S5 a newer summary wins: from another running host, or from one that ran in between', async () => {
  for (const since of [{ isLive: true }, { known: [0, 2] }]) {
    const { summaries, published, rows } = place(since);
    await summaries.publish('s');
    expect(published).toEqual([]);
    expect(rows).toEqual(['s']);
  }
});

test('S5 closing waits for reads in progress and publishes nothing more', async () => {
  const { summaries, published, rows } = place();
  const publishing = summaries.publish('s');
  await summaries.close();
  await publishing;
  expect(published).toEqual([]);
  expect(rows).toEqual([]);
});

test('S5 a truncated journal counts: the row must not show a state forever that no host has', async () => {
  const { summaries, published } = place({ known: [50] });
  await summaries.catchUp();
  expect(published).toMatchObject([{ v: 1, agentState: 'idle' }]);
});

test('S5 an unreadable journal leaves the row as it is, and still publishes it', async () => {
  const { data, summaries, published, rows } = place();
  const { journal } = data.session('s');
  writeFileSync(join(journal, '00000001.jsonl'), '{"format":99,"segment":1,"nextSeq":0,}\n');
  await summaries.publish('s');
  expect(published).toEqual([]);
  expect(rows).toEqual(['s']);
});
