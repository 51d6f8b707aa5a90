/** Runs test/cases/*.json: `{title, initial?, changes | command, expected}`, where `null` means "absent or null". */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Append,
  appendSchema,
  type Change,
  changeBodySchema,
  parseChange,
} from '../src/conversation/changes.ts';
import { commandSchema } from '../src/conversation/commands.ts';
import { decide, isRepeated, REFUSALS } from '../src/conversation/decide.ts';
import { entriesFrom } from '../src/conversation/entry-store.ts';
import { fold, foldAll, foldAppend } from '../src/conversation/fold.ts';
import { type Conversation, EMPTY } from '../src/conversation/state.ts';

const steps = z.array(z.record(z.string(), z.unknown()));
const caseSchema = z.object({
  title: z.string().regex(/^(M[1-6]|M1[0-3]|H6|H8|C6) /),
  initial: steps.optional(),
  changes: steps.optional(),
  command: z.unknown().optional(),
  expected: z.record(z.string(), z.unknown()),
});
type Case = z.infer<typeof caseSchema>;

const folder = new URL('./cases/', import.meta.url);
const files = readdirSync(folder).map((name) => ({
  name,
  cases: z.array(caseSchema).parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))),
}));

/** The n-th durable change has version n and time 100 n. */
function run(state: Conversation, list: Case['changes']): Conversation {
  let folded = state;
  for (const step of list ?? []) {
    if ('append' in step) {
      folded = foldAppend(folded, appendSchema.parse(step.append) as Append);
      continue;
    }
    const change = parseChange({ ...step, v: folded.v + 1, at: 100 * (folded.v + 1) });
    if (!change) throw new Error(`not a change: ${JSON.stringify(step)}`);
    folded = fold(folded, change);
  }
  return folded;
}

/** The state as plain data, with entries as a list. */
function plain(state: Conversation): unknown {
  return JSON.parse(JSON.stringify({ ...state, entries: [...entriesFrom(state.entries)] }));
}

/** A case lists everything: fields not named must be absent. */
const WHOLE = /\.(open|wanted|kinds)$/;

function check(actual: unknown, expected: unknown, path: string): void {
  if (expected === null) expect(actual ?? null, path).toBeNull();
  else if (typeof expected !== 'object' || WHOLE.test(path)) expect(actual, path).toEqual(expected);
  else {
    if (Array.isArray(expected)) expect(actual, path).toHaveLength(expected.length);
    for (const [key, value] of Object.entries(expected)) {
      check((actual as Record<string, unknown> | undefined)?.[key], value, `${path}.${key}`);
    }
  }
}

for (const { name, cases } of files) {
  describe(name, () => {
    it.each(cases)('$title', ({ initial, changes, command, expected }) => {
      const state = run(EMPTY, initial);
      if (changes) return check(plain(run(state, changes)), expected, 'state');
      const asked = commandSchema.parse(command);
      const decision = decide(state, asked);
      check(decision, expected, 'decision');
      if (!decision.changes) return;
      const stamped = decision.changes.map(
        (body, index) => ({ ...body, v: state.v + 1 + index, at: 1, cause: asked.id }) as Change,
      );
      expect(stamped.map(parseChange)).toEqual(stamped);
      expect(isRepeated(state, asked)).toBe(false);
      expect(isRepeated(foldAll(state, stamped), asked)).toBe(true);
    });
  });
}

describe('coverage', () => {
  const all = files.flatMap(({ cases }) => cases);

  it('M2 every kind of change has a case', () => {
    const kinds = changeBodySchema.options.map((option) => option.shape.kind.value);
    const covered = new Set(all.flatMap(({ changes }) => changes ?? []).map(({ kind }) => kind));
    expect(kinds.filter((kind) => !covered.has(kind))).toEqual([]);
    expect(kinds.length).toBeGreaterThan(20);
  });

  it('M4 every kind of command has a case that is accepted, and every refusal one', () => {
    const kinds = commandSchema.options.map((option) => option.shape.kind.value);
    const accepted = all
      .filter(({ expected }) => 'changes' in expected)
      .map(({ command }) => kindOf(command));
    expect(kinds.filter((kind) => !accepted.includes(kind))).toEqual([]);
    const refusals = new Set(all.map(({ expected }) => expected.refusal));
    expect(Object.keys(REFUSALS).filter((refusal) => !refusals.has(refusal))).toEqual([]);
  });
});

function kindOf(command: unknown): string {
  return commandSchema.parse(command).kind;
}
