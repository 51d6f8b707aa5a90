import { readdirSync, readFileSync } from 'node:fs';
import { changeBodySchema } from '@tugdeck/protocol/conversation/changes';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { describe, expect, test } from 'vitest';
import { codexReplay } from '../src/codex/replay-parts.ts';
import type { ReplayOutput } from '../src/kit/replay.ts';
import { replayFile } from '../src/known-drivers.ts';

const FIXTURES = new URL('../src/codex/fixtures/app-server/', import.meta.url);
const names = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.replace('.jsonl', ''));

interface Expected {
  readonly texts: readonly string[];
  readonly requests: readonly unknown[];
  readonly tools: readonly { readonly status?: string; readonly type: string }[];
  readonly errors: readonly string[];
  readonly historyTexts: readonly string[];
  readonly turns: readonly string[];
  readonly end: 'idle' | 'running' | 'either';
}
const expected = JSON.parse(readFileSync(new URL('expected.json', FIXTURES), 'utf8')) as Record<
  string,
  Expected
>;

const linesOf = (name: string): string[] =>
  readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8').split('\n');
const replayed = new Map<string, ReplayOutput>();
function outputOf(name: string): ReplayOutput {
  const known = replayed.get(name) ?? replayFile('codex', linesOf(name));
  replayed.set(name, known);
  return known;
}
const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** Everything of the entries that the output shows. */
const wordsOf = ({ entries }: ReplayOutput): string =>
  folded(
    entries
      .flatMap(({ text, title, result, request }) => [text, title, result, request])
      .map((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? '')))
      .join(' \n '),
  );

interface RawLine {
  readonly dir: string;
  readonly line: Record<string, unknown>;
}
const rawOf = (name: string): RawLine[] =>
  linesOf(name)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RawLine)
    .filter(({ line }) => typeof line === 'object');

const WORKING = new Set(['preparing', 'waiting', 'running']);

describe('every recording of app-server', () => {
  test('M14 the corpus is complete', () => {
    expect(names).toHaveLength(100);
    expect(names.every((name) => `${name}.jsonl` in expected)).toBe(true);
  });

  test.each(names)('A21 %s satisfies the rules of its corpus', (name) => {
    const output = outputOf(name);
    const rule = expected[`${name}.jsonl`];
    if (!rule) throw new Error('no expectation');
    const words = wordsOf(output);
    for (const text of [...rule.texts, ...rule.errors, ...rule.historyTexts])
      expect(words).toContain(folded(text));
    expect(output.requests).toHaveLength(rule.requests.length);
    expect(output.unrecognized).toEqual({ count: 0, kinds: {} });
    if (rule.end === 'idle') expect(output.turn).toBe('idle');
    if (output.turn !== 'idle') return;
    expect(output.entries.filter(({ status }) => status === 'partial')).toEqual([]);
    expect(output.entries.filter(({ state }) => WORKING.has(String(state)))).toEqual([]);
    expect(output.requests.filter(({ status }) => status === 'pending')).toEqual([]);
  });

  test.each(names)('M1 M14 %s has gap-free numbers and replays identically, in valid changes', (name) => {
    const { entries } = outputOf(name);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    const run = codexReplay.run('r0', NO_USAGE, undefined);
    for (const { dir, line } of rawOf(name)) {
      const outputs = dir === 'out' ? run.take(line) : dir === 'in' ? run.read(line).sent() : [];
      for (const output of outputs) {
        if (output.kind !== 'live') expect(changeBodySchema.safeParse(output).error).toBeUndefined();
      }
    }
  });

  test('M14 each agent has only recordings of its protocol', () => {
    const acp = ['{"t":1,"dir":"out","line":{"jsonrpc":"2.0","id":1,"result":{}}}'];
    expect(() => replayFile('codex', acp)).toThrow(CodedError);
    expect(() => replayFile('codex-acp', linesOf('plain_answer'))).toThrow(CodedError);
  });
});
