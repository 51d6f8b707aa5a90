import { describe, expect, test } from 'vitest';
import type { ChangeBody } from '../src/conversation/changes.ts';
import { foldAll } from '../src/conversation/fold.ts';
import { EMPTY } from '../src/conversation/state.ts';
import { summarize, summarySchema } from '../src/conversation/summarize.ts';

const summaryOf = (bodies: readonly ChangeBody[]) => {
  const state = foldAll(
    EMPTY,
    bodies.map((body, index) => ({ ...body, v: index + 1, at: 1_000 + index })),
  );
  return summarySchema.parse(summarize(state));
};
const started = { kind: 'turn.started', turn: 't1', origin: 'agent', prompts: [] } satisfies ChangeBody;
const ended = { kind: 'turn.ended', turn: 't1', endedBy: 'completed' } satisfies ChangeBody;
const text = (id: string, words: string): ChangeBody => ({
  kind: 'entry.opened',
  entry: { id, kind: 'text', status: 'complete', text: words },
});
const tool = (id: string, own: object): ChangeBody => ({
  kind: 'entry.opened',
  entry: {
    id,
    kind: 'tool',
    status: 'complete',
    name: 'Edit',
    title: 'a.ts',
    toolKind: 'edit',
    state: 'done',
    ...own,
  },
});
const diff = (path: string, lines: readonly string[]) => ({
  path,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [...lines] }],
});

describe('D14 a summary for the board', () => {
  test('has the newest line while a turn runs, and the first of its last text afterwards', () => {
    const words = [text('e1', '## Two things\n\n- one\n- **two** `x`\n')];
    expect(summaryOf([started, ...words])).toMatchObject({ activity: 'two x', turnStartedAt: 1_000 });
    expect(summaryOf([started, ...words, ended]).activity).toBe('Two things');
    const shell = tool('e2', { toolKind: 'shell', title: 'npm test', state: 'running' });
    expect(summaryOf([started, ...words, shell]).activity).toBe('$ npm test');
    expect(summaryOf([started, text('e3', 'x'.repeat(900))]).activity).toHaveLength(160);
  });

  test('counts the lines of the running turn, or of the last turn that changed files', () => {
    const edits = [
      tool('e1', { diff: [diff('a.ts', ['+1', '+2', '-3', ' 4'])] }),
      tool('e2', { diff: [{ ...diff('b.ts', []), counts: { added: 7, removed: 8 } }] }),
      tool('e3', { diff: [diff('c.ts', ['+1'])], state: 'denied' }),
    ];
    const changes = { files: 2, added: 9, removed: 9, last: 2 };
    expect(summaryOf([started, ...edits]).changes).toEqual(changes);
    const again: ChangeBody = { ...started, turn: 't2' };
    expect(summaryOf([started, ...edits, ended, again]).changes).toBeUndefined();
    expect(summaryOf([started, ...edits, ended, again, { ...ended, turn: 't2' }]).changes).toEqual(changes);
  });

  test('counts to-dos, and is silent about what it does not have', () => {
    const todos: ChangeBody = {
      kind: 'todos.replaced',
      todos: [
        { id: '1', text: 'a', state: 'done' },
        { id: '2', text: 'b', state: 'active' },
      ],
    };
    expect(summaryOf([todos]).todos).toEqual({ done: 1, total: 2 });
    const bare = summaryOf([]);
    for (const name of ['activity', 'request', 'turnStartedAt', 'queued', 'todos', 'changes']) {
      expect(bare).not.toHaveProperty(name);
    }
  });
});
