import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRecord } from '../src/known-histories.ts';

const SESSION = '01a1e428-3266-72c3-977a-8543152ff10c';
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'td-recorded-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const place = () => ({ environment: { HOME: home }, directory: '/p' });

function write(path: string, ...lines: object[]): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

/** The entries of the record, one line each. */
function lines(session = SESSION): string[] | undefined {
  const part = readRecord(place(), session, () => true);
  if (!part) return undefined;
  return [...entriesFrom(part.conversation.entries)].map((entry) => {
    const what = entry.kind === 'tool' ? entry.id : 'text' in entry ? entry.text : '';
    return `${entry.parent ?? ''}> ${entry.kind} ${entry.status}: ${what}`;
  });
}

const said = (uuid: string, parentUuid: string | null, id: string, block: object, more = {}) => ({
  type: 'assistant',
  uuid,
  parentUuid,
  message: { id, role: 'assistant', content: [block] },
  ...more,
});
const use = (id: string, name: string) => ({
  type: 'tool_use',
  id,
  name,
  input: { prompt: 'x', command: 'x' },
});

test('H21 the record includes unfinished subagents, also nested ones', () => {
  const [folder, side] = [`.claude/projects/-p/${SESSION}/subagents`, { isSidechain: true }];
  write(
    `.claude/projects/-p/${SESSION}.jsonl`,
    { type: 'user', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'go' } },
    said('a', 'u', 'm1', use('outer', 'Agent')),
  );
  write(
    `${folder}/agent-one.jsonl`,
    { type: 'user', uuid: 'su', parentUuid: null, message: { role: 'user', content: 'x' }, ...side },
    said('sa', 'su', 's1', use('inner', 'Agent'), side),
  );
  write(`${folder}/agent-two.jsonl`, said('ta', null, 't1', { type: 'text', text: 'From within.' }, side));
  write(`${folder}/agent-one.meta.json`, { toolUseId: 'outer' });
  write(`${folder}/agent-two.meta.json`, { toolUseId: 'inner' });
  writeFileSync(join(home, folder, 'agent-three.meta.json'), '{"toolUseId":');
  expect(lines()).toEqual([
    '> user complete: go',
    '> tool stale: outer',
    'outer> tool stale: inner',
    'inner> text complete: From within.',
  ]);
});

test('H21 finds a rollout by its session in the folders of its days; without a file, nothing is known', () => {
  expect(lines()).toBeUndefined();
  const item = (payload: object) => ({
    timestamp: '2026-11-16T11:40:02.000Z',
    type: 'response_item',
    payload,
  });
  write(
    `.codex/sessions/2026/11/16/rollout-2026-11-16T11-40-02-${SESSION}.jsonl`,
    item({ type: 'message', id: 'u', role: 'user', content: [{ type: 'input_text', text: 'go' }] }),
    item({ type: 'message', id: 'a', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] }),
  );
  expect(lines()).toEqual(['> user complete: go', '> text complete: Yes.']);
  expect(lines('01a1e428-3266-72c3-977a-000000000000')).toBeUndefined();
  expect(lines('../../etc/passwd')).toBeUndefined();
});
