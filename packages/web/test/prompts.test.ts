/** Saved prompts (D49). */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { promptOffers } from '../src/cards/conversation/composer/completion/offers.ts';
import {
  deletePrompt,
  filledPrompt,
  promptName,
  prompts,
  readPrompts,
  savePrompt,
  variablesOf,
} from '../src/kit/prompts.ts';

vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
afterEach(() => prompts.set([]));
const names = () => prompts.get().map(({ name }) => name);

describe('D49 variables', () => {
  test('D49 each is listed once, in order', () => {
    expect(variablesOf('Review {{file}} for {{ concern }}, then {{file}} again')).toEqual([
      'file',
      'concern',
    ]);
    expect(variablesOf('{ {a} } {{}} {{a\nb}} {{{b}}}')).toEqual(['b']);
  });
  test('D49 values are inserted as they are typed; an empty one leaves the variable', () => {
    const values = new Map([
      ['file', '$& {{concern}} $1'],
      ['concern', ''],
    ]);
    expect(filledPrompt('{{file}} / {{ concern }} / {{file}}', values)).toBe(
      '$& {{concern}} $1 / {{ concern }} / $& {{concern}} $1',
    );
  });
});

describe('D49 saving', () => {
  test('D49 a name has no spaces and no slash in front, so that it can be typed', () => {
    expect(promptName('  /code review  now ')).toBe('code-review-now');
    expect(promptName('x'.repeat(99))).toHaveLength(40);
  });
  test('D49 prompts are added, replaced, renamed and deleted; a name is used once', () => {
    expect(savePrompt({ name: 'tests', text: 'Add tests' })).toBeUndefined();
    expect(savePrompt({ name: 'review', text: 'Review it' })).toBeUndefined();
    expect(savePrompt({ name: 'Tests', text: 'Other' })).toMatch(/already/);
    expect(savePrompt({ name: 'Tests', text: 'Other' }, 'review')).toMatch(/already/);
    expect(savePrompt({ name: '', text: 'Other' })).toMatch(/name/);
    expect(savePrompt({ name: 'blank', text: ' \n' })).toMatch(/text/);
    expect(names()).toEqual(['review', 'tests']);
    expect(savePrompt({ name: 'check', text: 'Review all' }, 'review')).toBeUndefined();
    expect(prompts.get()[0]).toEqual({ name: 'check', text: 'Review all' });
    deletePrompt('check');
    expect(names()).toEqual(['tests']);
  });
  test('D49 all of them fit into what the server keeps', () => {
    expect(savePrompt({ name: 'a', text: 'x'.repeat(8_000) })).toBeUndefined();
    expect(savePrompt({ name: 'b', text: 'x'.repeat(8_000) })).toMatch(/15 KB/);
    expect(names()).toEqual(['a']);
    expect(JSON.stringify(prompts.get()).length).toBeLessThan(16 * 1024);
  });
  test('D49 stored prompts may be broken', () => {
    expect(readPrompts('no')).toEqual([]);
    expect(
      readPrompts([
        null,
        { name: 'a' },
        { name: ' /b c', text: 'x' },
        { name: 'B-C', text: 'y' },
        { name: 'd', text: 1 },
      ]),
    ).toEqual([{ name: 'b-c', text: 'x' }]);
  });
  test('D49 they are offered after a slash', () => {
    const all = [
      { name: 'code-review', text: 'Review\u202eit' },
      { name: 'tests', text: 'Add tests' },
    ];
    expect(promptOffers(all, '').map(({ label }) => label)).toEqual(['/code-review', '/tests']);
    expect(promptOffers(all, 'rev')).toMatchObject([{ kind: 'prompt', text: 'Review\u202eit' }]);
    expect(promptOffers(all, 'rev')[0]?.detail).not.toContain('\u202e');
  });
});
