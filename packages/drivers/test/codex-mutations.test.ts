// Every recording of app-server, modified as another version, recorder or an earlier end would.
import { expect, test } from 'vitest';
import type { ReplayOutput } from '../src/kit/replay.ts';
import { replayFile } from '../src/known-drivers.ts';
import {
  copied,
  eachOut,
  essence,
  expectSound,
  isFull,
  type Mutation,
  type Recorded,
  recordedAsText,
  recordingsIn,
  thirds,
  withUnknownFields,
  written,
} from './mutations.ts';

const recordings = recordingsIn(new URL('../src/codex/fixtures/app-server/', import.meta.url));
const some = thirds(recordings);
const replayed = (lines: readonly Recorded[]): ReplayOutput => replayFile('codex', written(lines));

/** Ids of both sides as strings. */
const namedIds: Mutation = (lines) =>
  lines.map((one) => {
    const { line } = one;
    if (typeof line !== 'object' || line?.id === undefined) return one;
    const isOurs = (one.dir === 'in') === 'method' in line;
    return { ...one, line: { ...line, id: `${isOurs ? 'ours' : 'theirs'}-${line.id}` } };
  });
/** References to a request must match its id. */
const namedResolved: Mutation = eachOut((line) =>
  line?.method === 'serverRequest/resolved'
    ? [{ ...line, params: { ...line.params, requestId: `theirs-${line.params.requestId}` } }]
    : [line],
);
/** Ids of the agent's requests that don't begin at 0. */
const laterIds: Mutation = (lines) =>
  lines.map((one) => {
    const { line, dir } = one;
    if (line?.method === 'serverRequest/resolved')
      return { ...one, line: { ...line, params: { ...line.params, requestId: line.params.requestId + 7 } } };
    const isTheirs = line?.id !== undefined && (dir === 'out') === 'method' in line;
    return isTheirs ? { ...one, line: { ...line, id: line.id + 7 } } : one;
  });
const splitDeltas = eachOut((line) => {
  const delta = /[dD]elta$/.test(line?.method ?? '') ? line.params?.delta : undefined;
  if (typeof delta !== 'string') return [line];
  return ['', delta.slice(0, 1), delta.slice(1)].map((piece) => ({
    ...line,
    params: { ...line.params, delta: piece },
  }));
});
/** Our requests get their reply after the notification that followed it. */
const lateReplies: Mutation = (lines) => {
  const moved = [...lines];
  for (let at = 0; at + 1 < moved.length; at++) {
    const [reply, next] = [moved[at], moved[at + 1]];
    const isReply = reply?.dir === 'out' && reply.line?.id !== undefined && !reply.line.method;
    if (!isReply || next?.dir !== 'out' || !next.line?.method || next.line.id !== undefined) continue;
    moved.splice(at++, 2, next, reply);
  }
  return moved;
};
const strange = { method: 'thread/of/tomorrow', params: { threadId: 'x' } };

const SAME: readonly (readonly [string, Mutation])[] = [
  ['recorded as text', recordedAsText],
  ['with unknown fields', eachOut((line) => [withUnknownFields(line)])],
  ['with ids that are words', (lines) => namedResolved(namedIds(lines))],
  ['with an unknown kind in between', eachOut((line) => [line, strange])],
  ['with other ids of requests', laterIds],
  ['with deltas in other pieces', splitDeltas],
  ['with replies after notifications', lateReplies],
  [
    'with items and turns that start and end twice',
    eachOut((line) =>
      /^(item\/(started|completed)|turn\/completed)$/.test(line?.method ?? '') ? [line, line] : [line],
    ),
  ],
  [
    'without the notifications that say nothing',
    eachOut((line) =>
      /^(thread\/(status|readState)|remoteControl|account\/rateLimits)/.test(line?.method ?? '')
        ? []
        : [line],
    ),
  ],
];

test.each(SAME)('A50 the same conversation %s', (_, mutation) => {
  for (const { name, lines } of some()) {
    const before = replayed(lines);
    const after = replayed(mutation(copied(lines)));
    expect({ name, ...essence(after) }).toEqual({ name, ...essence(before) });
  }
});

test('A50 completed texts are the same without any deltas', () => {
  for (const { name, lines } of some()) {
    const isPiece = (line: { method?: string }): boolean => /[dD]elta$/.test(line?.method ?? '');
    const bare = replayed(lines.filter(({ dir, line }) => dir !== 'out' || !isPiece(line)));
    const whole = ({ entries }: ReplayOutput) =>
      entries.flatMap(({ kind, status, text }) => (kind === 'text' && status === 'complete' ? [text] : []));
    // Without deltas, a text is placed where it ended, not where it began.
    expect({ name, said: whole(bare).toSorted() }).toEqual({ name, said: whole(replayed(lines)).toSorted() });
  }
});

test('A50 tools whose end is never reported are closed with their turn', () => {
  const isText = /^(agentMessage|userMessage|reasoning|plan)$/;
  for (const { name, lines } of some()) {
    const open = eachOut((line) =>
      line?.method === 'item/completed' && !isText.test(line.params.item.type) ? [] : [line],
    );
    const output = replayed(open(copied(lines)));
    if (output.turn !== 'idle') continue;
    const left = output.entries.filter(
      ({ status, state }) => status === 'partial' || state === 'running' || state === 'waiting',
    );
    expect({ name, left, said: essence(output).said }).toEqual({
      name,
      left: [],
      said: essence(replayed(lines)).said,
    });
  }
});

/** Small and seeded, so that the damage is reproducible. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('A2 A50 lost, duplicated, reordered or truncated lines never break a replay', () => {
  recordings.forEach(({ lines }, seed) => {
    const next = random(seed + 1);
    for (let round = 0; round < (isFull ? 6 : 1); round++) {
      const damaged = lines.flatMap((line) => {
        const dice = next();
        if (dice < 0.08) return [];
        return dice < 0.16 ? [line, line] : [line];
      });
      for (let at = 1; at < damaged.length; at++) {
        const [before, here] = [damaged[at - 1], damaged[at]];
        if (before && here && next() < 0.08) [damaged[at - 1], damaged[at]] = [here, before];
      }
      const kept = next() < 0.5 ? damaged : damaged.slice(0, Math.ceil(next() * damaged.length));
      if (!kept.some(({ dir, line }) => dir === 'out' && typeof line === 'object')) continue;
      expectSound(replayed(kept), { ended: false });
    }
  });
});

test('H6 a kill at any line leaves nothing open', () => {
  recordings.forEach(({ lines }, seed) => {
    const cut = Math.ceil(random(seed + 7)() * lines.length);
    const spawned: Recorded = { t: 0, dir: 'note', line: 'spawn: app-server' };
    const killed: Recorded = { t: 0, dir: 'note', line: 'exit code=null signal=SIGKILL' };
    const head = lines.slice(0, cut).filter(({ dir }) => dir !== 'note');
    if (!head.some(({ dir, line }) => dir === 'out' && typeof line === 'object')) return;
    expectSound(replayed([spawned, ...head, killed]), { ended: true });
  });
});
