// Recordings modified as another version, recorder or a worse moment would, for tests of both protocols. `essence`
// defines what must stay the same.
import { readdirSync, readFileSync } from 'node:fs';
import { ENTRY_KINDS, ENTRY_STATUSES, TOOL_STATES } from '@tugdeck/protocol/conversation/entries';
import { expect } from 'vitest';
import type { ReplayOutput } from '../src/kit/replay.ts';

// biome-ignore lint/suspicious/noExplicitAny: raw lines of another program.
export type Raw = any;

export interface Recorded {
  t: number;
  dir: 'in' | 'out' | 'err' | 'note';
  line: Raw;
}

export type Mutation = (lines: Recorded[]) => Recorded[];

export function recordingsIn(folder: URL): { readonly name: string; readonly lines: Recorded[] }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => ({
      name: file.replace('.jsonl', ''),
      lines: readFileSync(new URL(file, folder), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Recorded),
    }));
}

export const isFull = process.env.TUGDECK_TEST_FULL === '1';

/** In the default tier, each modification is applied to every third recording, a different third each time. */
export function thirds<T>(recordings: readonly T[]): () => readonly T[] {
  let turn = 0;
  return () => {
    turn++;
    return isFull ? recordings : recordings.filter((_, at) => at % 3 === turn % 3);
  };
}

export const written = (lines: readonly Recorded[]): string[] => lines.map((line) => JSON.stringify(line));

export const copied = (lines: readonly Recorded[]): Recorded[] => structuredClone([...lines]);

/** Maps each line of the agent to none, one or several. */
export const eachOut =
  (change: (line: Raw, at: number) => readonly Raw[]): Mutation =>
  (lines) =>
    lines.flatMap((one, at) =>
      one.dir === 'out' ? change(one.line, at).map((line) => ({ ...one, line })) : [one],
    );

/** By another recorder: other timestamps, and lines as text. */
export const recordedAsText: Mutation = (lines) =>
  lines.map(({ dir, line }, at) => ({
    ...(at % 2 === 0 ? { t: '2026-01-01T00:00:00Z' as unknown as number } : ({} as { t: number })),
    dir,
    line: typeof line === 'object' ? JSON.stringify(line) : line,
  }));

/** An unknown field in every nested object. */
export function withUnknownFields(value: Raw, depth = 0): Raw {
  if (Array.isArray(value)) return value.map((item) => withUnknownFields(item, depth + 1));
  if (value === null || typeof value !== 'object' || depth > 4) return value;
  return {
    ...Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withUnknownFields(item, depth + 1)]),
    ),
    _brandNew: { of: 'tomorrow' },
  };
}

const WORKING = new Set(['preparing', 'waiting', 'running']);
const texts = ({ entries }: ReplayOutput, kind: string): string[] =>
  entries.flatMap((entry) => (entry.kind === kind && entry.text ? [String(entry.text)] : []));

/** What users would call the same conversation. */
export function essence(output: ReplayOutput): Record<string, unknown> {
  return {
    said: texts(output, 'text'),
    thought: texts(output, 'thinking'),
    asked: texts(output, 'user'),
    commands: texts(output, 'command'),
    tools: output.entries.flatMap(({ kind, toolKind, state }) =>
      kind === 'tool' ? [`${toolKind} ${state}`] : [],
    ),
    requests: output.requests.map(({ kind, status, answer }) => ({ kind, status, answer })),
    turns: output.turns,
    turn: output.turn,
    todos: output.todos,
  };
}

/** Holds for every replay, whatever was done to the recording. */
export function expectSound(output: ReplayOutput, { ended }: { readonly ended: boolean }): void {
  const { entries, requests, turns, turn } = output;
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  for (const { kind, status, state } of entries) {
    expect(ENTRY_KINDS).toContain(kind);
    expect(ENTRY_STATUSES).toContain(status);
    if (kind === 'tool') expect(TOOL_STATES).toContain(state);
  }
  expect(typeof output.unrecognized.count).toBe('number');
  if (!ended) return;
  expect(turn).toBe('idle');
  expect(turns.filter(({ endedBy }) => endedBy === undefined)).toEqual([]);
  expect(requests.filter(({ status }) => status === 'pending')).toEqual([]);
  expect(entries.filter(({ state }) => WORKING.has(String(state)))).toEqual([]);
  expect(entries.filter(({ kind, status }) => kind !== 'user' && status === 'partial')).toEqual([]);
}
