import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { plainTerminal } from '@tugdeck/protocol/export/plain-terminal';
import { describe, expect, test } from 'vitest';
import { type ComposerKey, composerAction } from '../src/cards/conversation/composer/composer-keys.ts';
import { historyOf, newerMessage, olderMessage } from '../src/cards/conversation/composer/history.ts';
import { afterScroll, countNew, isPrepended } from '../src/cards/conversation/scroll-rules.ts';
import { groupTitle, makeRows } from '../src/features/conversation/rows.ts';
import { diffCounts } from '../src/features/diff/DiffCounts.tsx';
import { diffRows } from '../src/features/diff/diff-rows.ts';
import { optionDetail, permissionChoices } from '../src/features/requests/permission-options.ts';
import {
  chosenOf,
  isAnswered,
  NOTHING,
  questionAnswer,
  withChoice,
  withDigit,
  withOther,
} from '../src/features/requests/question-answer.ts';
import { actionOfKey } from '../src/features/requests/request-keys.ts';
import { parseAnsi } from '../src/features/tool-results/ansi.ts';
import { lastLines, splitLines } from '../src/features/tool-results/lines.ts';

describe('C24 keys of a request', () => {
  const held = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  const press = (key: string) => ({ ...held, key });
  const pressed = { press: press('y'), isTyping: false };
  test('Y, N and A answer, in upper or lower case', () => {
    expect(['y', 'N', 'a'].map((key) => actionOfKey({ ...pressed, press: press(key) }))).toEqual([
      'allow',
      'deny',
      'always',
    ]);
  });
  test('ignores keys while typing, with a modifier, or on Enter', () => {
    expect(actionOfKey({ ...pressed, isTyping: true })).toBeUndefined();
    expect(actionOfKey({ ...pressed, press: { ...press('y'), ctrlKey: true } })).toBeUndefined();
    expect(actionOfKey({ ...pressed, press: press('Enter') })).toBeUndefined();
  });
});

describe('C21 options of a permission', () => {
  const once = { id: '1', label: 'Yes', effect: 'allow-once' as const };
  const always = {
    id: '2',
    label: 'Always',
    effect: 'allow-always' as const,
    rule: 'Bash(ls:*)',
    file: 'settings.json',
  };
  const never = { id: '3', label: 'Never', effect: 'reject-always' as const };
  const no = { id: '4', label: 'No', effect: 'reject-once' as const };
  test('Allow is the first one-time option, Deny the first rejection, the menu has the rest', () => {
    expect(permissionChoices([always, once, never, no])).toEqual({
      allow: once,
      deny: no,
      more: [always, never],
    });
  });
  test('a permanent rejection is used as Deny if it is the only one', () => {
    expect(permissionChoices([once, never])).toEqual({ allow: once, deny: never, more: [] });
  });
  test('shows the rule and its file', () => {
    expect(optionDetail(always)).toBe('Allows without asking again · Bash(ls:*) · in settings.json');
    expect(optionDetail(once)).toBe('Allows once');
    const label = 'Always allow Bash(ls:*) (in settings.json)';
    expect(optionDetail({ ...always, label })).toBe('Allows without asking again');
  });
});

describe('C7 answers to questions', () => {
  const single = { id: 'a', header: '', text: '', multiple: false, options: [] };
  const multiple = { ...single, id: 'b', multiple: true };
  test('a single choice is replaced, multiple choices are added', () => {
    const one = withChoice(withChoice(NOTHING, single, 'x', true), single, 'y', true);
    const two = withChoice(withChoice(NOTHING, multiple, 'x', true), multiple, 'y', true);
    expect(one.choices).toEqual(['y']);
    expect(withChoice(two, multiple, 'x', false).choices).toEqual(['y']);
    expect(questionAnswer([single, multiple], { a: one, b: two })).toEqual({
      type: 'question',
      answers: { a: { choices: ['y'] }, b: { choices: ['x', 'y'] } },
    });
  });
  test('C7 a digit chooses in the question with the focus, otherwise in the first without an answer', () => {
    const options = ['x', 'y'].map((label) => ({ label, description: '' }));
    const all = [
      { ...single, options },
      { ...multiple, options },
    ];
    const one = withDigit(all, {}, { digit: 2, focused: undefined }) ?? {};
    expect(chosenOf(one, 'a').choices).toEqual(['y']);
    const two = withDigit(all, one, { digit: 1, focused: undefined }) ?? {};
    expect(chosenOf(two, 'b').choices).toEqual(['x']);
    const three = withDigit(all, two, { digit: 1, focused: 'a' }) ?? {};
    expect(chosenOf(three, 'a').choices).toEqual(['x']);
    expect(chosenOf(withDigit(all, two, { digit: 1, focused: 'b' }) ?? {}, 'b').choices).toEqual([]);
    expect(withDigit(all, {}, { digit: 3, focused: undefined })).toBeUndefined();
    expect(withDigit([], {}, { digit: 1, focused: undefined })).toBeUndefined();
  });
  test('another answer needs text and replaces the single choice', () => {
    const other = withOther(withChoice(NOTHING, single, 'x', true), single, true);
    expect(isAnswered(other)).toBe(false);
    expect(isAnswered({ ...other, other: 'mine' })).toBe(true);
    expect(questionAnswer([single], { a: { ...other, other: ' mine ' } })).toEqual({
      type: 'question',
      answers: { a: { choices: [], other: 'mine' } },
    });
  });
});

describe('C9 composer keys', () => {
  const key = (changes: Partial<ComposerKey>): ComposerKey => ({
    key: 'Enter',
    isShift: false,
    isAlt: false,
    isCommand: false,
    isComposing: false,
    text: 'hello',
    hasSelection: false,
    isRunning: false,
    isRecalled: false,
    hasModes: false,
    ...changes,
  });
  test('Enter sends, Shift+Enter and an IME do not', () => {
    expect(composerAction(key({}))).toBe('send');
    expect(composerAction(key({ isShift: true }))).toBeUndefined();
    expect(composerAction(key({ isComposing: true }))).toBeUndefined();
  });
  test('D42 Alt+Enter steers a running turn, and sends otherwise', () => {
    expect(composerAction(key({ isAlt: true, isRunning: true }))).toBe('steer');
    expect(composerAction(key({ isAlt: true }))).toBe('send');
    expect(composerAction(key({ isAlt: true, isShift: true, isRunning: true }))).toBeUndefined();
  });
  test('Esc and Ctrl+C stop only a running turn, and copying still copies', () => {
    expect(composerAction(key({ key: 'Escape' }))).toBeUndefined();
    expect(composerAction(key({ key: 'Escape', isRunning: true }))).toBe('stop');
    expect(composerAction(key({ key: 'c', isCommand: true, isRunning: true }))).toBe('stop');
    expect(
      composerAction(key({ key: 'c', isCommand: true, isRunning: true, hasSelection: true })),
    ).toBeUndefined();
  });
  test('arrows step through the history only from an empty or recalled text', () => {
    expect(composerAction(key({ key: 'ArrowUp' }))).toBeUndefined();
    expect(composerAction(key({ key: 'ArrowUp', text: '' }))).toBe('older');
    expect(composerAction(key({ key: 'ArrowDown', isRecalled: true }))).toBe('newer');
  });
  test('the history is newest first, without duplicates, and ends', () => {
    const history = historyOf(['one', 'two', ' ', 'one']);
    expect(history).toEqual(['one', 'two']);
    const first = olderMessage(history, { at: -1, text: '' });
    expect(first).toEqual({ at: 0, text: 'one' });
    expect(olderMessage(history, { at: 1, text: 'two' })).toBeUndefined();
    expect(newerMessage(history, { at: 0, text: 'one' })).toEqual({ at: -1, text: '' });
  });
});

describe('C11 following', () => {
  const end = { top: 900, viewport: 100, height: 1000 };
  const following = { isFollowing: true, height: 1000, top: 900 };
  const away = { ...following, isFollowing: false, top: 400 };
  test('follows again within 50 px of the end', () => {
    expect(afterScroll(away, { ...end, top: 850 })).toEqual({ ...following, top: 850 });
    expect(afterScroll(away, { ...end, top: 849 })).toEqual({ ...away, top: 849 });
  });
  test('does not follow again after a slow scroll up or a late scroll event', () => {
    const left = { ...following, isFollowing: false };
    expect(afterScroll(left, end)).toEqual(left);
    expect(afterScroll(left, { ...end, top: 880 }).isFollowing).toBe(false);
  });
  test('keeps following when content grows or the position is corrected, stops on a scroll up', () => {
    expect(afterScroll(following, { ...end, height: 3000 })).toEqual(following);
    expect(afterScroll(following, { ...end, top: 890, height: 1200 }).isFollowing).toBe(true);
    expect(afterScroll(following, { ...end, top: 700 }).isFollowing).toBe(false);
  });
  test('counts rows after the last one seen', () => {
    expect(countNew(['a', 'b', 'c'], 'a')).toBe(2);
    expect(countNew(['a', 'b', 'c'], undefined)).toBe(0);
  });
  test('distinguishes older rows above from new ones below', () => {
    expect(isPrepended(['c', 'd'], ['a', 'b', 'c', 'd'])).toBe(true);
    expect(isPrepended(['c', 'd'], ['c', 'd', 'e'])).toBe(false);
    expect(isPrepended([], ['a'])).toBe(false);
  });
});

describe('C4 rows and results', () => {
  const tool = (id: string, toolKind: string, state = 'done', parent?: string) =>
    ({ kind: 'tool', id, toolKind, state, ...(parent ? { parent } : {}) }) as unknown as Entry;
  const rowsOf = (...entries: Entry[]) => {
    const map = new Map(entries.map((entry) => [entry.id, entry]));
    return makeRows([...map.keys()], (id) => map.get(id)).rows.map(({ ids }) => ids);
  };
  test('groups consecutive read-only tools, also while the last one runs', () => {
    expect(
      rowsOf(tool('1', 'read'), tool('2', 'search'), tool('3', 'read', 'running'), tool('4', 'shell')),
    ).toEqual([['1', '2', '3'], ['4']]);
  });
  test('does not group failed tools and those of a subagent', () => {
    expect(rowsOf(tool('1', 'read'), tool('2', 'read', 'failed'), tool('3', 'read'))).toEqual([
      ['1'],
      ['2'],
      ['3'],
    ]);
    expect(rowsOf(tool('1', 'read'), tool('2', 'read', 'done', 'sub'))).toEqual([['1'], ['2']]);
  });
  test('a group summarizes its tools', () => {
    expect(groupTitle([tool('1', 'read'), tool('2', 'read'), tool('3', 'search')])).toBe(
      'Read 2 files · searched once',
    );
    expect(groupTitle([tool('1', 'search'), tool('2', 'search')])).toBe('Searched 2 times');
  });
  test('terminal colors become classes, other sequences are dropped, progress bars show their end', () => {
    expect(parseAnsi('a\u001b[1;31mb\u001b[0mc')).toEqual([
      { text: 'a', classes: '' },
      { text: 'b', classes: 'ansi-red ansi-bold' },
      { text: 'c', classes: '' },
    ]);
    expect(plainTerminal('\u001b[2K\u001b]0;title\u0007x\u001b[38;2;1;2;3my')).toBe('xy');
    expect(plainTerminal('10%\r50%\r100%\r\ndone')).toBe('100%\ndone');
  });
  test('a diff has both line numbers and marks the changed words of a line', () => {
    const hunks = [
      { oldStart: 3, oldLines: 2, newStart: 5, newLines: 2, lines: [' same', '-let a = 1;', '+let a = 22;'] },
    ];
    expect(diffRows(hunks)).toEqual([
      { kind: 'same', old: 3, new: 5, text: 'same' },
      { kind: 'removed', old: 4, text: 'let a = 1;', marks: [[8, 9]] },
      { kind: 'added', new: 6, text: 'let a = 22;', marks: [[8, 10]] },
    ]);
    expect(diffCounts([{ path: 'x', hunks }])).toEqual({ added: 1, removed: 1 });
  });
  test('counts lines without the final break, and returns the last ones', () => {
    expect(splitLines('a\nb\n')).toEqual(['a', 'b']);
    expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc');
    expect(lastLines('a', 2)).toBe('a');
  });
});
