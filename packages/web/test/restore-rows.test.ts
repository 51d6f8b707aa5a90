import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { RestorePreview, RestoreRecord } from '@tugdeck/protocol/conversation/restore';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { trayOf } from '../src/features/attachments/tray.ts';
import { makeRows } from '../src/features/conversation/rows.ts';
import { filesNote } from '../src/features/restore/note-files.ts';
import {
  fileGroups,
  gapLines,
  hasFiles,
  restoreTitle,
  workingBeside,
} from '../src/features/restore/restore-records.ts';
import { withoutHidden, withRestores } from '../src/features/restore/restore-rows.ts';
import { undoRestore } from '../src/features/restore/undo-restore.ts';

const order = ['a', 'b', 'c', 'd'];
const lookup = (id: string) => ({ id, seq: order.indexOf(id), kind: 'user' }) as unknown as Entry;
const record = (more: Partial<RestoreRecord>): RestoreRecord => ({
  id: 'r1',
  at: 1,
  target: { entry: 'b' },
  parts: { files: true, conversation: true },
  state: 'done',
  seq: 3,
  ...more,
});
const state = (more: Partial<Conversation>): Conversation => ({ ...EMPTY, nextSeq: 4, ...more });
const shown = (conversation: Conversation, closed: readonly string[]) => {
  const visible = withoutHidden(order, lookup, conversation.asides, closed);
  const rows = withRestores(makeRows(visible, lookup).rows, conversation, lookup);
  return rows.map(({ id, isAside }) => (isAside ? `(${id})` : id));
};

test('T22 T29 folds messages that are set aside into the line of their restore, and shows them on request', () => {
  const aside = { from: 1, to: 3 };
  const conversation = state({ restores: [record({ aside })], asides: [{ restore: 'r1', ...aside }] });
  expect(shown(conversation, ['r1'])).toEqual(['a', 'restore r1', 'd']);
  expect(shown(conversation, [])).toEqual(['a', '(b)', '(c)', 'restore r1', 'd']);
});

test('T15 T22 shows the undo in place of the restore that it undoes, and all messages', () => {
  const undo = record({ id: 'r2', undoes: 'r1', state: 'undone', seq: 4 });
  const conversation = state({ restores: [record({ state: 'undone' }), undo] });
  expect(shown(conversation, [])).toEqual(['a', 'b', 'c', 'd', 'restore r2']);
  expect(restoreTitle(conversation, undo)).toBe('Restore undone');
  const redo = record({ id: 'r3', undoes: 'r2', counts: { written: 2, removed: 1, left: 1 } });
  const again = state({ restores: [...conversation.restores, redo] });
  expect(restoreTitle(again, redo)).toBe('Restored 3 files · 1 file left unchanged');
});

test('T19 an unfinished restore has no line yet', () => {
  expect(shown(state({ restores: [record({ state: 'open' })] }), [])).toEqual(order);
});

test('T11 groups the files of a preview by what happens to them', () => {
  const preview = {
    files: [
      { path: 'a', state: 'restored' },
      { path: 'b', state: 'guarded', why: 'ignored' },
      { path: 'c', state: 'conflict' },
    ],
    counts: { restored: 3_000, guarded: 1, conflict: 1 },
  } as unknown as RestorePreview;
  const groups = fileGroups(preview).map(({ label, count, files }) => [label, count, files.length]);
  expect(groups).toEqual([
    ['Conflicts with later edits', 1, 1],
    ['Restored', 3_000, 1],
    ['Kept', 1, 1],
  ]);
});

test('T11 names the reason why changes of turns stay', () => {
  const gaps = [
    { turn: 't1', why: 'shared' },
    { turn: 't2', why: 'missing' },
    { turn: 't3', why: 'missing' },
  ] as const;
  expect(gapLines({ gaps: [...gaps] }, false)).toEqual([
    'Another session worked in this folder during 1 turn. Changes made at that time stay.',
    'The checkpoints of 2 turns can’t be used. Changes made at that time stay.',
  ]);
  expect(gapLines({ gaps: [...gaps.slice(1, 2)] }, true)).toEqual([
    'The checkpoint of this turn can’t be used. Changes made at that time stay.',
  ]);
  expect(gapLines({ gaps: [] }, true)).toEqual([]);
});

test('T11 T31 files can be restored if a file would change or the branch can move back', () => {
  const preview = { plan: 'p', files: [], counts: {} } as unknown as RestorePreview;
  expect(hasFiles(preview)).toBe(false);
  expect(hasFiles({ ...preview, counts: { restored: 1 } })).toBe(true);
  expect(hasFiles({ ...preview, branch: { name: 'main', tip: 'c', pushed: 0 } })).toBe(true);
  expect(hasFiles({ ...preview, counts: { restored: 1 }, plan: undefined })).toBe(false);
});

test('T18 notes the files that a restore changed for the agent, and none that stayed', () => {
  const files = [
    { path: 'a', state: 'restored' },
    { path: 'b', state: 'removed' },
    { path: 'c', state: 'conflict' },
  ] as const;
  expect(filesNote({ files: [...files], more: 0 })).toMatch(/\n- a\n- b \(removed\)\n$/);
  expect(filesNote({ files: files.slice(2), more: 0 })).toBeUndefined();
  expect(filesNote({ files: files.slice(2), more: 0 }, { c: 'mine' })).toBeUndefined();
  // The user chose the checkpoint's version.
  const stayed = [...files.slice(2), { path: 'd', state: 'guarded' } as const];
  const choices = { c: 'markers', d: 'checkpoint' } as const;
  expect(filesNote({ files: stayed, more: 0 }, choices)).toMatch(/\n- c\n- d \(removed\)\n$/);
});

test('T18 an undo of restored files notes them too, from the conversation and from the timeline', async () => {
  const sent: unknown[] = [];
  const channel = {
    session: 'undone',
    preview: async () => ({ files: [{ path: 'a', state: 'restored' }], more: 0 }),
    send: async (command: unknown) => void sent.push(command),
  } as unknown as ConversationChannel;
  const names = () =>
    trayOf('undone')
      .state.get()
      .files.map(({ name }) => name);
  await undoRestore(channel, { id: 'r1', parts: { files: true, conversation: true } });
  expect(names()).toEqual([]);
  await undoRestore(channel, { id: 'r2', parts: { files: true, conversation: false } });
  expect(names()).toEqual(['restored-files.md']);
  expect(sent).toEqual(['r1', 'r2'].map((restore) => ({ kind: 'restore.undo', restore })));
});

test('T17 names other sessions that work in the same project', () => {
  const row = (id: string, project: string, turn: string) =>
    ({ id, project, summary: { turn } }) as unknown as SessionRow;
  const rows = [
    row('mine', 'p', 'running'),
    row('idle', 'p', 'idle'),
    row('working', 'p', 'running'),
    row('elsewhere', 'q', 'running'),
  ];
  expect(workingBeside(rows, 'mine').map(({ id }) => id)).toEqual(['working']);
});
