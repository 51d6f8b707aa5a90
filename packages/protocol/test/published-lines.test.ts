import { expect, test } from 'vitest';
import type { Append, Change } from '../src/conversation/changes.ts';
import { hostMessageSchema } from '../src/wire/host-link.ts';
import { changesLine, liveLine, publishedHead } from '../src/wire/published-lines.ts';

const changes: Change[] = [3, 4].map((v) => ({
  v,
  at: 1,
  kind: 'turn.ended',
  turn: 't',
  endedBy: 'completed',
}));
const appends: Append[] = [{ entry: 'e', field: 'text', at: 0, text: '"]}\n{"type":"changes","v":9' }];

test('S2 a relay reads the version of published lines without parsing them', () => {
  expect(publishedHead(changesLine(changes))).toEqual({ v: 4 });
  expect(publishedHead(liveLine(appends))).toEqual({});
  for (const line of [changesLine(changes), liveLine(appends)])
    expect(hostMessageSchema.safeParse(JSON.parse(line)).success).toBe(true);
});

test('S2 a relay parses every other line: answers, lines of an earlier host, and cut lines', () => {
  const others = [
    JSON.stringify({ type: 'changes', changes }),
    JSON.stringify({ type: 'receipt', command: 'c', v: 4 }),
    changesLine(changes).slice(0, -1),
    changesLine(changes).replace('"v":4', '"v":-4'),
    ` ${liveLine(appends)}`,
    '',
  ];
  expect(others.map(publishedHead)).toEqual(others.map(() => undefined));
});
