import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import { completionAction, nextMode } from '../src/cards/conversation/composer/composer-keys.ts';
import { openSurface } from '../src/cards/conversation/composer/open-surface.ts';
import { outputOf } from '../src/cards/conversation/composer/shell-output.ts';
import { meaningOf } from '../src/cards/conversation/composer/slash.ts';
import { sessionChoices } from '../src/cards/conversation/header/session-choices.ts';
import { blockers, progressOf } from '../src/cards/conversation/tasks/task-progress.ts';
import { filesOfPaste, MAX_PASTED } from '../src/features/attachments/paste-and-drop.ts';
import { createTray, fileRejection } from '../src/features/attachments/tray.ts';
import { blobsIn, withBlobs } from '../src/features/conversation/blob-refs.ts';
import { diffCounts } from '../src/features/diff/DiffCounts.tsx';
import { fileText, tokenAt } from '../src/features/prompt/token.ts';
import { keyNames, keyText } from '../src/kit/keys/key-names.ts';
import { offeredActions } from '../src/kit/offered-actions.ts';
import {
  deckItems,
  extraItems,
  findItems,
  type PaletteItem,
  withRecent,
} from '../src/shell/palette/palette-items.ts';
import { sampleDeck } from './gallery/sample-deck.ts';

/** `|` is the cursor. */
const at = (marked: string) => tokenAt(marked.replace('|', ''), marked.indexOf('|'));

test('C9 completes a command only at the very beginning', () => {
  expect(at('/re|')).toEqual({ kind: 'command', query: 're', start: 0, end: 3 });
  expect(at('/re|view now')).toEqual({ kind: 'command', query: 're', start: 0, end: 7 });
  expect(at('/review |')).toBeUndefined();
  expect(at('see /re|')).toBeUndefined();
  expect(at('\n/re|')).toBeUndefined();
});

test('C9 completes a file after @ at the start of a word', () => {
  expect(at('look at @src/a| now')).toEqual({ kind: 'file', query: 'src/a', start: 8, end: 14 });
  expect(at('(@|)')).toMatchObject({ kind: 'file', query: '', start: 1 });
  expect(at('@"my no|tes.md" and')).toEqual({ kind: 'file', query: 'my no', start: 0, end: 14 });
  expect(at('me@example|')).toBeUndefined();
  expect(at('@src/a |')).toBeUndefined();
});

test('C9 leaves a folder open, closes a file, and quotes spaces', () => {
  expect(fileText('src/', 'folder')).toBe('@src/');
  expect(fileText('src/a.ts', 'file')).toBe('@src/a.ts ');
  expect(fileText('my notes.md', 'file')).toBe('@"my notes.md" ');
  expect(fileText('my dir/', 'folder')).toBe('@"my dir/');
});

test('C9 handles keys while the completion list is open', () => {
  const press = (
    key: string,
    facts: { isTypedOut?: boolean; isModified?: boolean; isShift?: boolean } = {},
  ) =>
    completionAction(
      { key, isShift: facts.isShift ?? false, isComposing: false },
      { isTypedOut: facts.isTypedOut ?? false, isModified: facts.isModified ?? false },
    );
  expect(['Enter', 'Tab', 'Escape', 'ArrowUp', 'ArrowDown', 'a'].map((key) => press(key))).toEqual([
    'accept',
    'accept',
    'close',
    'previous',
    'next',
    undefined,
  ]);
  expect(press('Enter', { isTypedOut: true })).toBeUndefined();
  expect(press('Enter', { isModified: true })).toBeUndefined();
  expect(press('Enter', { isShift: true })).toBeUndefined();
});

test('C9 explains which files cannot be sent', () => {
  expect(fileRejection({ name: 'a.png', type: 'image/png', size: 9 })).toBeUndefined();
  expect(fileRejection({ name: 'main.rs', type: '', size: 9 })).toBeUndefined();
  expect(fileRejection({ name: 'a.zip', type: 'application/zip', size: 9 })).toMatch(/^a\.zip: only images/);
  expect(fileRejection({ name: 'a.png', type: 'image/png', size: 6_000_000 })).toMatch(/too large.*5\.0 MB/);
  expect(fileRejection({ name: 'a.txt', type: 'text/plain', size: 0 })).toMatch(/empty/);
});

test('X2 a tray returns nothing during an upload, and reports failures', async () => {
  let fail: (why: Error) => void = () => undefined;
  let isFirst = true;
  const tray = createTray('s', () => {
    if (!isFirst) return Promise.resolve('eA==');
    isFirst = false;
    return new Promise((_, reject) => {
      fail = reject;
    });
  });
  const settled = () => new Promise<void>((done) => tray.state.subscribe(() => done()));
  tray.add([new File(['x'], 'a.txt', { type: 'text/plain' })]);
  expect(tray.take()).toBeUndefined();
  const failed = settled();
  fail(new Error('no room'));
  await failed;
  const [file] = tray.state.get().files;
  expect(file).toMatchObject({ state: 'failed', fault: 'no room' });
  expect(tray.take()).toBeUndefined();
  tray.retry(file?.id ?? '');
  await settled();
  expect(tray.take()).toEqual([{ name: 'a.txt', mimeType: 'text/plain', size: 1, data: 'eA==' }]);
  expect(tray.state.get().files).toEqual([]);
});

test('C13 describes the progress of tasks', () => {
  const todo = (id: string, state: 'pending' | 'active' | 'done', blockedBy?: string[]) => ({
    id,
    text: `Task ${id}`,
    state,
    ...(blockedBy ? { blockedBy } : {}),
  });
  expect(progressOf([todo('1', 'done'), todo('2', 'pending')])).toEqual({ done: 1, current: 'Next: Task 2' });
  expect(progressOf([todo('1', 'active')])).toEqual({ done: 0, current: 'Task 1' });
  expect(progressOf([todo('1', 'done')])).toEqual({ done: 1, current: 'All done' });
  const all = [todo('1', 'done'), todo('2', 'active'), todo('3', 'pending', ['1', '2', '9'])];
  expect(all[2] && blockers(all[2], all)).toEqual(['Task 2', '#9']);
});

test('C14 replaces blob references with their texts', () => {
  const blob = { blob: 'b'.repeat(64), size: 4, head: '', tail: '' };
  const value = { fields: [{ value: blob }], text: 'short' };
  expect([...blobsIn(value)]).toEqual([blob.blob]);
  expect(withBlobs(value, new Map([[blob.blob, 'long']]))).toEqual({
    fields: [{ value: 'long' }],
    text: 'short',
  });
});

test('X2 replaces blob references in data and diffs', () => {
  const json = { blob: 'c'.repeat(64), size: 4, head: '', tail: '', form: 'json' } as const;
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] };
  const file = {
    path: 'a.ts',
    hunks: [{ ...hunk, lines: [] }],
    more: json,
    counts: { added: 1, removed: 1 },
  };
  const texts = (text: string) => new Map([[json.blob, text]]);
  expect(withBlobs({ input: json }, texts('{"rows":[1]}'))).toEqual({ input: { rows: [1] } });
  expect(diffCounts([file])).toEqual({ added: 1, removed: 1 });
  expect(withBlobs([file], texts(JSON.stringify([hunk])))).toEqual([
    { path: 'a.ts', hunks: [hunk], counts: { added: 1, removed: 1 } },
  ]);
  // Data that is not a diff stays unchanged.
  expect(withBlobs([file], texts('[{"lines":"no"}]'))).toEqual([file]);
  expect(withBlobs([file], texts('no JSON'))).toEqual([file]);
});

test('D4 the palette lists recent items first, and archived ones only on a query', () => {
  const deck = sampleDeck();
  const archived = deck.sessions.map((row) => (row.id === 'old' ? { ...row, archived: true } : row));
  const done: string[] = [];
  const items: PaletteItem[] = deckItems(
    { ...deck, sessions: archived },
    {
      showSession: (id) => done.push(`show ${id}`),
      newSession: (id) => done.push(`new ${id}`),
      restore: ({ id }) => done.push(`restore ${id}`),
    },
  );
  const labels = (query: string, recent: readonly string[] = []) =>
    findItems(items, query, recent).map(({ label }) => label);
  expect(labels('')[0]).toBe('Fix the failing login test');
  expect(labels('')).not.toContain('Try another font');
  expect(labels('', ['session-long'])[0]).toBe('A very long history');
  expect(labels('font')[0]).toBe('Try another font');
  findItems(items, 'font', [])[0]?.run();
  findItems(items, 'new session in tug', [])[0]?.run();
  expect(done).toEqual(['restore old', 'new p1']);
  expect(withRecent(['a', 'b'], 'b')).toEqual(['b', 'a']);
});

test('D44 > finds commands, # sessions; all conversations can be searched, and without a match the agent asked', () => {
  const done: string[] = [];
  const item = (group: PaletteItem['group'], label: string): PaletteItem => ({
    id: label,
    group,
    label,
    run: () => done.push(label),
  });
  const items = [
    item('Session', 'Model the data'),
    item('This session', 'Set model…'),
    item('Action', 'Open settings'),
    item('Archived', 'Model of old'),
  ];
  const labels = (query: string) => findItems(items, query, []).map(({ label }) => label);
  expect(labels('>model')).toEqual(['Set model…']);
  expect(labels('#model').sort()).toEqual(['Model of old', 'Model the data']);
  expect(labels('# ')).toEqual(['Model the data']);
  expect(labels('model').slice(0, 3)).toHaveLength(3);
  const use = {
    ask: (text: string) => done.push(`ask ${text}`),
    search: (text: string) => done.push(`find ${text}`),
  };
  const others = extraItems(' why? ', { agent: 'Claude', ...use }, false);
  expect(others.map(({ label }) => label)).toEqual(['Ask Claude: why?', 'Search conversations for “why?”']);
  for (const other of others) other.run();
  expect(done).toEqual(['ask why?', 'find why?']);
  expect(extraItems('why', { agent: undefined, ...use }, false)).toHaveLength(1);
  expect(extraItems('  ', { agent: 'Claude', ...use }, false)).toEqual([]);
  const withMatches = (query: string) =>
    extraItems(query, { agent: 'Claude', ...use }, true).map(({ label }) => label);
  expect(withMatches('model')).toEqual(['Search conversations for “model”']);
  expect(withMatches('>model')).toEqual([]);
});

test('D44 the session in front offers its settings as lists, without dangerous modes, and Stop during a turn', () => {
  const sent: unknown[] = [];
  const choices = sessionChoices(
    {
      facts: {
        model: 'big',
        models: [
          { id: 'big', label: 'Big' },
          { id: 'small', label: 'Small' },
        ],
        modes: [
          { id: 'ask', label: 'Ask' },
          { id: 'all', label: 'All', dangerous: true },
        ],
      },
      wanted: {},
      turn: { id: 't', phase: 'running', cancelling: false },
    },
    async (command) => {
      sent.push(command);
      return { type: 'receipt', command: '', v: 1 };
    },
    () => undefined,
  );
  expect(choices.map(({ label }) => label)).toEqual(['Set model…', 'Stop']);
  expect(choices[0]?.choices?.map(({ label, checked }) => [label, checked])).toEqual([
    ['Big', true],
    ['Small', false],
  ]);
  choices[0]?.choices?.[1]?.onChoose();
  choices[1]?.onChoose();
  expect(sent).toEqual([
    { kind: 'session.configure', option: 'model', value: 'small' },
    { kind: 'turn.cancel' },
  ]);
});

test('D4 names keys as on the keyboard', () => {
  expect(keyNames('Mod+K', true)).toEqual(['⌘', 'K']);
  expect(keyNames('Mod+K', false)).toEqual(['Ctrl', 'K']);
  expect(keyText('Mod+K', false)).toBe('Ctrl+K');
});

test('A15 a bare slash command opens its UI, one with arguments goes to the agent, an unknown one is confirmed', () => {
  const commands = [{ name: 'model', surface: 'model' }, { name: 'compact' }, { name: 'plugin:run' }];
  expect(meaningOf('/model', commands)).toEqual({ kind: 'surface', name: 'model', surface: 'model' });
  expect(meaningOf('  /model ', commands)).toMatchObject({ kind: 'surface' });
  for (const words of ['/model sonnet', '/compact', '/plugin:run x', 'model', '/usr/bin/env', '/ x', '/']) {
    expect(meaningOf(words, commands)).toEqual({ kind: 'message' });
  }
  // A side question needs its text.
  const asking = [{ name: 'btw', surface: 'ask:btw' }];
  expect(meaningOf('/btw which file?', asking)).toEqual({
    kind: 'surface',
    name: 'btw',
    surface: 'ask:btw',
    words: 'which file?',
  });
  expect(meaningOf('/btw', asking)).not.toHaveProperty('words');
  expect(meaningOf('/nonsense at all', commands)).toEqual({ kind: 'unknown', name: 'nonsense' });
  expect(meaningOf('/constructor', commands)).toMatchObject({ kind: 'unknown' });
  // An agent that reports no commands may still have some.
  expect(meaningOf('/nonsense', undefined)).toEqual({ kind: 'message' });
  expect(meaningOf('/nonsense', [])).toEqual({ kind: 'message' });
  // A starting agent has not reported its commands yet.
  expect(meaningOf('/model', undefined, true)).toEqual({ kind: 'too-early', name: 'model' });
  expect(meaningOf('/model', commands, true)).toMatchObject({ kind: 'surface' });
  expect(meaningOf('Hello', undefined, true)).toEqual({ kind: 'message' });
});

test('A15 opens the agent’s terminal, sends a side question, and describes tasks', async () => {
  const sent: unknown[] = [];
  const conversation = ['Sleep', 'Build'].reduce<Conversation>(
    (state, title, at) =>
      fold(state, {
        kind: 'entry.opened',
        v: at + 1,
        at: 0,
        entry: {
          ...{ id: title, kind: 'tool', status: 'partial', name: 'Bash', title },
          ...{ toolKind: 'shell', state: at === 0 ? 'background' : 'running' },
        } as NewEntry,
      }),
    EMPTY,
  );
  const channel = {
    session: 's',
    view: { get: () => ({ conversation }) },
    send: async (command: unknown) => sent.push(command),
  } as unknown as ConversationChannel;
  const open = (name: string, surface: string, words?: string) =>
    openSurface(
      { kind: 'surface', name, surface, ...(words === undefined ? {} : { words }) },
      { channel, project: 'p', card: null, write: () => undefined },
    );
  expect(await open('login', 'terminal')).toContain('only works in the agent’s own interface');
  let opened = 0;
  offeredActions.set([{ id: 'own-terminal', label: 'Own', onChoose: () => opened++ }]);
  expect(await open('login', 'terminal')).toContain('Run /login there');
  expect(opened).toBe(1);
  expect(await open('btw', 'ask:btw')).toContain('Type your question after /btw');
  expect(await open('btw', 'ask:btw', 'why?')).toBeUndefined();
  expect(sent).toEqual([{ kind: 'agent.control', what: 'btw', input: { question: 'why?' } }]);
  expect(await open('tasks', 'tasks')).toMatch(/^Running in the background: Sleep\./);
});

test('C9 pastes text into the box, and attaches files and very long text', async () => {
  const picture = new File(['x'], 'a.png', { type: 'image/png' });
  const pasted = (text: string | undefined, files: File[] = []) =>
    filesOfPaste({
      files: files as unknown as FileList,
      types: [...(text === undefined ? [] : ['text/plain']), ...(files.length > 0 ? ['Files'] : [])],
      getData: () => text ?? '',
    });
  expect(pasted('a few words')).toBeUndefined();
  expect(pasted('a cell', [picture])).toBeUndefined();
  expect(pasted(undefined, [picture])).toEqual([picture]);
  expect(pasted(undefined)).toBeUndefined();
  expect(pasted('x'.repeat(MAX_PASTED))).toBeUndefined();
  const [file] = pasted('x'.repeat(MAX_PASTED + 1)) ?? [];
  expect(await file?.text()).toHaveLength(MAX_PASTED + 1);
  expect(file && fileRejection(file)).toBeUndefined();
  const [huge] = pasted('x'.repeat(2 * 1024 * 1024)) ?? [];
  expect(huge && fileRejection(huge)).toBe(
    'pasted.txt is too large (2.0 MB). The limit for text files is 1.0 MB',
  );
});

describe('C9 the output of a ! command', () => {
  test('omits the command line and the next prompt', () => {
    expect(outputOf('ls', 'me:~$ cd\nme:~$ ls\na.txt\nb.txt\nme:~$')).toBe('a.txt\nb.txt');
    expect(outputOf('ls', 'me:~$ ls\na.txt')).toBe('a.txt');
  });
  test('is the whole screen if the command is not visible', () => {
    expect(outputOf('cat long', 'line 8\nline 9')).toBe('line 8\nline 9');
  });
});

describe('C9 A14 modes by Shift+Tab', () => {
  const modes = [{ id: 'a' }, { id: 'b' }, { id: 'all', dangerous: true }];
  test('cycle, skipping those that allow everything', () => {
    expect(['a', 'b', 'all', undefined].map((now) => nextMode(modes, now))).toEqual(['b', 'a', 'a', 'a']);
  });
  test('stay if there is only one', () => {
    expect(nextMode([{ id: 'a' }], 'a')).toBeUndefined();
    expect(nextMode(undefined, 'a')).toBeUndefined();
  });
});
