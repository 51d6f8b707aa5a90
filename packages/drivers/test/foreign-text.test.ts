import { expect, test } from 'vitest';
import { foreignMinute, foreignText } from '../src/kit/foreign-text.ts';
import { replayFile } from '../src/known-drivers.ts';

test('A2 a value that cannot say what it is called is nameless, never fatal', () => {
  expect(foreignText('x')).toBe('x');
  expect(foreignText(4)).toBe('4');
  expect(foreignText(false)).toBe('false');
  for (const value of [null, undefined, {}, [], JSON.parse('{"toString":null}')])
    expect(foreignText(value)).toBe('');
  expect(foreignMinute(1e308)).toBeUndefined();
  expect(foreignMinute(0)).toBe('1970-01-01T00:00Z');
});

test('A2 an agent that names a message by such a value is counted, and the session goes on', () => {
  const lines = [
    '{"t":0,"dir":"out","line":{"type":"system","subtype":{"toString":1}}}',
    '{"t":0,"dir":"note","line":{"toString":null}}',
    '{"t":1,"dir":"out","line":{"type":"system","subtype":"init","session_id":"s","model":"m"}}',
  ];
  expect(replayFile('claude', lines).unrecognized.count).toBe(1);
});
