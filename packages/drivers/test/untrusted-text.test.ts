import { expect, test } from 'vitest';
import { untrustedMinute, untrustedText } from '../src/kit/untrusted-text.ts';
import { replayFile } from '../src/known-drivers.ts';

test('A2 a value that cannot be converted to text is empty, never fatal', () => {
  expect(untrustedText('x')).toBe('x');
  expect(untrustedText(4)).toBe('4');
  expect(untrustedText(false)).toBe('false');
  for (const value of [null, undefined, {}, [], JSON.parse('{"toString":null}')])
    expect(untrustedText(value)).toBe('');
  expect(untrustedMinute(1e308)).toBeUndefined();
  expect(untrustedMinute(0)).toBe('1970-01-01T00:00Z');
});

test('A2 counts a message named by such a value, and the session continues', () => {
  const lines = [
    '{"t":0,"dir":"out","line":{"type":"system","subtype":{"toString":1}}}',
    '{"t":0,"dir":"note","line":{"toString":null}}',
    '{"t":1,"dir":"out","line":{"type":"system","subtype":"init","session_id":"s","model":"m"}}',
  ];
  expect(replayFile('claude', lines).unrecognized.count).toBe(1);
});
