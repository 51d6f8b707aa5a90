import { describe, expect, test } from 'vitest';
import { type AnswerFacts, type Press, refusalOf } from '../src/ui/answers/answer-rules.ts';

const NEVER = Number.NEGATIVE_INFINITY;
const allow = { name: 'Allow' };
const other = { name: 'Other' };
const click: Press = { kind: 'pointer', at: 10_000, control: allow, x: 100, y: 100, begunOn: allow };
const key: Press = { kind: 'key', at: 10_000, control: allow, x: 0, y: 0, key: 'Enter' };
const rested: AnswerFacts = {
  press: click,
  before: undefined,
  shownAt: 9_600,
  movedAt: NEVER,
  answeredAt: NEVER,
  windowAt: NEVER,
  focusedAt: undefined,
  isInView: true,
  isInside: true,
  isBeforeInside: false,
};
const refusal = (facts: Partial<AnswerFacts>) => refusalOf({ ...rested, ...facts });

describe('C24 the click delay', () => {
  test('accepts a press on a request that did not change for 400 ms', () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal({ shownAt: 9_601 })).toBe('new');
  });
  test.each([30, 120, 200, 300, 399])('refuses a press %i ms after anything that restarts it', (gap) => {
    const at = 10_000 - gap;
    expect(refusal({ shownAt: at })).toBe('new');
    expect(refusal({ answeredAt: at })).toBe('answered');
    expect(refusal({ windowAt: at })).toBe('window');
    expect(refusal({ movedAt: at })).toBe('moved');
    expect(refusal({ press: key, focusedAt: at })).toBe('focus');
  });
  test('refuses a press that began before the request was drawn, even if a busy page handles it late', () => {
    expect(refusal({ shownAt: 10_050 })).toBe('new');
    expect(refusal({ shownAt: Number.POSITIVE_INFINITY })).toBe('new');
  });
  test('refuses the second half of a double click that began on something else', () => {
    const before = { ...click, at: 9_800, control: other };
    expect(refusal({ before })).toBe('elsewhere');
    expect(refusal({ before: { ...before, x: 103, y: 97 } })).toBe('elsewhere');
    expect(refusal({ before: { ...before, x: 300 } })).toBeUndefined();
    expect(refusal({ before: { ...before, control: allow } })).toBeUndefined();
    expect(refusal({ press: { ...click, begunOn: other } })).toBe('elsewhere');
  });
  test('refuses the second tap of a double tap, which is less exact than a click', () => {
    const tap = { ...click, isTouch: true };
    const before = { ...tap, at: 9_800, control: other, x: 160 };
    expect(refusal({ press: click, before: { ...before, isTouch: false } })).toBeUndefined();
    expect(refusal({ press: tap, before })).toBe('elsewhere');
    expect(refusal({ press: tap, before: { ...before, x: 220 } })).toBeUndefined();
    expect(refusal({ press: tap, before: { ...before, at: 9_500 } })).toBeUndefined();
    // An option of the same request, then its button.
    expect(refusal({ press: tap, before, isBeforeInside: true })).toBeUndefined();
  });
  test('refuses a click whose press was on something else, as with two fingers', () => {
    expect(refusal({ isInside: false })).toBe('elsewhere');
    expect(refusal({ press: { ...click, kind: 'assist' }, isInside: false })).toBeUndefined();
  });
  test('refuses keys that are held, doubled, or pressed out of view', () => {
    expect(refusal({ press: key })).toBeUndefined();
    expect(refusal({ press: { ...key, isRepeated: true } })).toBe('held');
    expect(refusal({ press: key, before: { ...key, at: 9_900, control: other } })).toBe('elsewhere');
    expect(refusal({ press: key, isInView: false })).toBe('unseen');
  });
  test('accepts a key on a request that moved, because it has the focus', () => {
    expect(refusal({ press: key, movedAt: 9_990, focusedAt: NEVER })).toBeUndefined();
  });
});
