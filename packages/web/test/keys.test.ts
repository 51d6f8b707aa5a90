/** Key combinations as data (D4): their text form, what they trigger, and which are reserved. */
import { describe, expect, test } from 'vitest';
import { actionKeys } from '../src/kit/keys/key-names.ts';
import { KEY_TABLE } from '../src/kit/keys/key-table.ts';
import {
  actionForKey,
  conflictsOf,
  DEFAULT_KEYS,
  makeKeymap,
  reservedReason,
} from '../src/kit/keys/keymap.ts';
import { isPressed, pressOf, readPress, writePress } from '../src/kit/keys/press.ts';

const held = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const key = (name: string, rest: Partial<typeof held> = {}) => ({ ...held, key: name, ...rest });
const written = (text: string) => {
  const press = readPress(text);
  return press && writePress(press);
};

describe('D4 keys', () => {
  test('a key has one text form', () => {
    expect(['ctrl+k', 'Cmd+K', 'Mod+k'].map(written)).toEqual(['Mod+K', 'Mod+K', 'Mod+K']);
    expect(['shift+alt+ArrowLeft', 'Mod++', '+', 'esc', '?'].map(written)).toEqual([
      'Alt+Shift+←',
      'Mod+Plus',
      'Plus',
      'Esc',
      '?',
    ]);
    expect(['', 'Mod+', 'Hyper+K', 'Shift'].map(written)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
  test('the text form of a press matches the same press', () => {
    const events = [
      key('k', { ctrlKey: true, code: 'KeyK' }),
      key('¡', { altKey: true, code: 'Digit1' }),
      key('?', { shiftKey: true, code: 'Slash' }),
      key('J', { shiftKey: true, code: 'KeyJ' }),
      key('л', { metaKey: true, code: 'KeyK' }),
      key('ArrowUp', { altKey: true, shiftKey: true }),
    ];
    const presses = events.map(pressOf);
    expect(presses).toEqual(['Mod+K', 'Alt+1', '?', 'Shift+J', 'Mod+K', 'Alt+Shift+↑']);
    for (const [at, event] of events.entries()) expect(isPressed(presses[at] ?? '', event)).toBe(true);
    expect(pressOf(key('Control', { ctrlKey: true }))).toBeUndefined();
  });
  test('default keys are valid and do not conflict', () => {
    for (const { id, press } of KEY_TABLE) {
      if (press === undefined) continue;
      expect(written(press), id).toBeDefined();
      expect(conflictsOf(id, press, DEFAULT_KEYS), id).toEqual([]);
    }
  });
  test('keys without a modifier are text while typing', () => {
    const action = (event: ReturnType<typeof key>, isTyping = false) =>
      actionForKey(event, 'reading', { isTyping });
    expect(action(key('j'))).toBe('entry.next');
    expect(action(key('j'), true)).toBeUndefined();
    expect(action(key('K', { shiftKey: true }))).toBe('prompt.previous');
    expect(action(key('/'))).toBe('find.open');
    expect(action(key('f', { ctrlKey: true }), true)).toBe('find.open-everywhere');
    expect(action(key('j', { ctrlKey: true }))).toBeUndefined();
  });
  test('D43 all keys of an action are one text, as far as it has any', () => {
    const keys = (id: string, map = makeKeymap({})) => actionKeys(id, map, false);
    expect(keys('session.new')).toBe('N or Alt+N');
    expect(keys('session.new', makeKeymap({ 'session.new': null }))).toBe('N');
    expect(keys('project.add')).toBeUndefined();
  });
  test('D43 Alt+N opens New session everywhere, also while typing', () => {
    const event = key('˜', { altKey: true, code: 'KeyN' });
    expect(actionForKey(event, 'page', { isTyping: true })).toBe('session.new');
    expect(actionForKey(event, 'page', { isTyping: false })).toBe('session.new');
    for (const { id, press, scope } of KEY_TABLE)
      if (press === 'Alt+N') expect([id, scope]).toEqual(['session.new', 'page']);
  });
  test('a chosen key replaces the default, null removes it, invalid text is ignored', () => {
    const map = makeKeymap({
      'palette.open': 'ctrl+p',
      'card.close': null,
      'card.open': 'nonsense+x',
      no: 'Y',
    });
    expect([map.get('palette.open'), map.get('card.close'), map.get('card.open')]).toEqual([
      'Mod+P',
      undefined,
      undefined,
    ]);
    expect(makeKeymap({ send: 'Mod+S' }).get('send')).toBe('Enter');
    expect(makeKeymap(JSON.parse('{"__proto__": "Y"}')).size).toBe(DEFAULT_KEYS.size);
    expect(actionForKey(key('p', { ctrlKey: true }), 'page', { isTyping: true, map })).toBe('palette.open');
  });
  test('reports conflicts and reserved keys', () => {
    expect(conflictsOf('entry.fold', 'mod+k', DEFAULT_KEYS).map(({ id }) => id)).toEqual(['palette.open']);
    expect(conflictsOf('entry.fold', 'y', DEFAULT_KEYS).map(({ id }) => id)).toEqual(['request.allow']);
    expect(conflictsOf('entry.fold', '@', DEFAULT_KEYS)).toEqual([]);
    expect(reservedReason('page', 'Mod+W')).toMatch(/browser/);
    expect(reservedReason('request', 'Enter')).toMatch(/Enter/);
    expect(reservedReason('page', 'Alt+Shift+W')).toBeUndefined();
  });
});
