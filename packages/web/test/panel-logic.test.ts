import { describe, expect, test } from 'vitest';
import { addCard, bringForward } from '../src/kit/layout/edit-layout.ts';
import { frontSessionOf } from '../src/kit/layout/front-session.ts';
import { type DockCard, EMPTY_LAYOUT, type Layout, type Place } from '../src/kit/layout/layout.ts';
import { readChoices } from '../src/kit/session-panel.ts';

const talk = (id: string): DockCard => ({ id, kind: 'conversation', params: { session: `s-${id}` } });
const other = (id: string): DockCard => ({ id, kind: 'git', params: { project: 'p' } });
const build = (...steps: readonly (readonly [DockCard, Place])[]): Layout =>
  steps.reduce((now, [card, place], at) => addCard(now, card, place, `g${at}`), EMPTY_LAYOUT);

describe('D22 the session in front', () => {
  const two = build(
    [talk('a'), { edge: 'left' }],
    [talk('b'), { edge: 'right' }],
    [other('git'), { edge: 'right' }],
  );

  test('is the active conversation', () => {
    expect(frontSessionOf(bringForward(two, 'a'), 's-b')).toBe('s-a');
  });

  test('stays the one used last while another card is active', () => {
    expect(frontSessionOf(two, 's-b')).toBe('s-b');
    expect(frontSessionOf(two, 's-a')).toBe('s-a');
  });

  test('is another visible one when it is covered, and none without any', () => {
    const covered = build(
      [talk('a'), { edge: 'left' }],
      [talk('b'), { group: 'g0' }],
      [other('git'), { edge: 'right' }],
    );
    expect(frontSessionOf(covered, 's-a')).toBe('s-b');
    expect(frontSessionOf(build([other('git'), { edge: 'left' }]), 's-a')).toBeUndefined();
  });
});

test('D21 the stored tab, width and terminal of each session are read, and anything else dropped', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`s${at}`, { tab: 'info' }]));
  expect(Object.keys(readChoices(many))).toHaveLength(80);
  expect(readChoices({ a: { tab: 'files', width: 500, terminal: 't' } })).toEqual({
    a: { tab: 'files', width: 500, terminal: 't' },
  });
  expect(readChoices({ a: { tab: 'evil', width: 1, terminal: 2 }, b: null })).toEqual({ a: {}, b: {} });
  expect(readChoices('x')).toEqual({});
});
