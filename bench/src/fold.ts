/**
 * The cost of one delta and one durable change in the fold. It must not depend on the number of earlier entries or
 * turns.
 */
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { foldAppend, fold as foldChange } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const SIZES = [100, 10_000, 100_000];
const PER_TURN = 10;
const DELTAS = 5_000;
const CHANGES = 1_000;
const OPEN = 'streaming';

type Shape = 'one turn' | 'many turns';
interface Variant {
  readonly name: string;
  readonly state: Conversation;
}

function apply(state: Conversation, body: ChangeBody): Conversation {
  return foldChange(state, { ...body, v: state.v + 1, at: 1 } as Change);
}

function conversation(size: number, shape: Shape): Conversation {
  let state = EMPTY;
  const startTurn = (turn: string) =>
    apply(state, { kind: 'turn.started', turn, origin: 'agent', prompts: [] });
  state = startTurn('t0');
  for (let index = 0; index < size - 1; index++) {
    if (shape === 'many turns' && index % PER_TURN === PER_TURN - 1) {
      state = apply(state, { kind: 'turn.ended', turn: state.turn?.id ?? '', endedBy: 'completed' });
      state = startTurn(`t${index}`);
    }
    state = apply(state, {
      kind: 'entry.opened',
      entry: { id: `e${index}`, kind: 'text', status: 'complete', text: `Entry ${index}` },
    });
  }
  return apply(state, {
    kind: 'entry.opened',
    entry: { id: OPEN, kind: 'text', status: 'partial', text: '' },
  });
}

/** Nanoseconds for one append of a few characters to the open entry. */
function timeDeltas(before: Conversation): number {
  let state = before;
  const started = performance.now();
  for (let index = 0; index < DELTAS; index++) {
    state = foldAppend(state, { entry: OPEN, field: 'text', at: index * 4, text: 'word' });
  }
  return ((performance.now() - started) * 1e6) / DELTAS;
}

/** Nanoseconds for one change: an entry is opened and closed. */
function timeChanges(before: Conversation): number {
  let state = before;
  const started = performance.now();
  for (let index = 0; index < CHANGES; index += 2) {
    const id = `new${index}`;
    state = apply(state, { kind: 'entry.opened', entry: { id, kind: 'text', status: 'partial', text: 'a' } });
    state = apply(state, { kind: 'entry.closed', entry: id, status: 'complete' });
  }
  return ((performance.now() - started) * 1e6) / CHANGES;
}

export const fold: Benchmark = {
  name: 'fold',
  async run({ rounds, log }) {
    const load = machineLoad();
    const variants = (['many turns', 'one turn'] as const).flatMap((shape) =>
      SIZES.map((size): Variant => ({ name: nameOf(size, shape), state: conversation(size, shape) })),
    );
    const samples = new Samples();
    // The first round only warms up the compiler.
    for (let round = -1; round < rounds * 4; round++) {
      for (const { name, state } of variants) {
        const delta = timeDeltas(state);
        const change = timeChanges(state);
        if (round < 0) continue;
        samples.add(`delta, ${name}`, 'ns', delta);
        samples.add(`change, ${name}`, 'ns', change);
      }
    }
    log(`${rounds * 4} rounds of ${DELTAS} deltas and ${CHANGES} changes each`);
    const ratio = (what: string, size: number, shape: Shape) =>
      judge(
        `${what} at ${size.toLocaleString('en')} entries in ${shape} against 100`,
        samples.median(`${what}, ${nameOf(size, shape)}`) / samples.median(`${what}, ${nameOf(100, shape)}`),
        2,
      );
    return {
      name: 'fold',
      about: 'one change through the fold, by the length of the conversation',
      series: samples.series(),
      judgements: ['delta', 'change'].flatMap((what) =>
        (['many turns', 'one turn'] as const).flatMap((shape) => [
          ratio(what, 10_000, shape),
          ratio(what, 100_000, shape),
        ]),
      ),
      load,
      rounds: rounds * 4,
    };
  },
};

function nameOf(size: number, shape: Shape): string {
  return `${size.toLocaleString('en')} entries, ${shape}`;
}
