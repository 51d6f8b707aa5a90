// Recordings of `npm run record` as reviewed conversations. Review the difference after a new recording;
// `TUGDECK_OUTLINES=1` rewrites the file.
import { readFileSync, writeFileSync } from 'node:fs';
import { RECORDED_FLOWS } from '@tugdeck/testkit/record/recorded-flows';
import { expect, test } from 'vitest';
import { replayFile } from '../src/known-drivers.ts';

interface Outline {
  readonly entries: readonly string[];
  readonly turns: readonly string[];
  readonly requests: readonly string[];
}

const FILE = new URL('./recorded-outlines.json', import.meta.url);
const isWriting = process.env.TUGDECK_OUTLINES === '1';
const known = (isWriting ? {} : JSON.parse(readFileSync(FILE, 'utf8'))) as Record<string, Outline>;

function outlineOf(name: string): Outline {
  const file = new URL(`../src/claude/fixtures/${name}.jsonl`, import.meta.url);
  const { entries, turns, requests, turn, unrecognized } = replayFile(
    'claude',
    readFileSync(file, 'utf8').split('\n'),
  );
  expect(unrecognized).toEqual({ count: 0, kinds: {} });
  expect(turn).toBe('idle');
  return {
    entries: entries.map(({ kind, status, state, title, text, parent }) => {
      const said = String((kind === 'tool' || kind === 'permission' ? title : text) ?? '').slice(0, 80);
      const how = [kind, status, state].filter(Boolean).join(' ');
      return `${parent === undefined ? '' : '> '}${how}${said === '' ? '' : `: ${said}`}`;
    }),
    turns: turns.map(({ origin, endedBy }) => `${origin} ${endedBy}`),
    requests: requests.map(({ kind, status }) => `${kind} ${status}`),
  };
}

const outlines: Record<string, Outline> = {};

test.each(RECORDED_FLOWS.map(({ name }) => name))('A13 %s replays as reviewed', (name) => {
  outlines[name] = outlineOf(name);
  if (isWriting) writeFileSync(FILE, `${JSON.stringify(outlines, null, 2)}\n`);
  else expect(outlines[name]).toEqual(known[name]);
});
