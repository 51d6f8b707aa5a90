import { describe, expect, test } from 'vitest';
import { describeElement, readFrameMessage } from '../src/cards/preview/preview-messages.ts';
import { canPreview, noteAddresses, seenAddresses } from '../src/kit/preview.ts';

describe('W72 messages of a previewed app', () => {
  test.for([undefined, null, 'x', 7, {}, { tugdeckPreview: 1 }, { tugdeckPreview: 1, type: 'else' }])(
    'W72 %j is ignored',
    (data) => expect(readFrameMessage(data)).toBeUndefined(),
  );

  test('W71 long texts are truncated, and a path stays on its server', () => {
    const report = readFrameMessage({
      tugdeckPreview: 1,
      type: 'report',
      level: 'x',
      text: 'a'.repeat(9_999),
    });
    expect(report).toEqual({ type: 'report', level: 'error', text: `${'a'.repeat(2_000)}…` });
    expect(
      readFrameMessage({ tugdeckPreview: 1, type: 'place', path: 'http://evil.example/' }),
    ).toBeUndefined();
    expect(readFrameMessage({ tugdeckPreview: 1, type: 'place', path: '/a' })).toEqual({
      type: 'place',
      path: '/a',
    });
  });

  test('W72 an element is sent as text, with hidden characters escaped', () => {
    const message = readFrameMessage({
      tugdeckPreview: 1,
      type: 'picked',
      element: { selector: 'p', text: 'a\u202eb', html: { toString: () => 'x' }, size: '1 × 1', path: '/' },
    });
    if (message?.type !== 'picked' || !message.element) throw new Error('not read');
    expect(describeElement('http://localhost:1', message.element)).toBe(
      'Element of http://localhost:1/\nSelector: p\nSize: 1 × 1\nText: a⟨U+202E⟩b\nHTML: ',
    );
  });
});

test.for([
  ['http:', '127.0.0.1', true],
  ['http:', 'localhost', true],
  ['https:', 'localhost', false],
  ['https:', 'deck.example', false],
  ['http:', '192.168.0.2', false],
] as const)('W73 at %s//%s a preview is offered: %s', ([protocol, hostname, expected]) => {
  expect(canPreview({ protocol, hostname })).toBe(expected);
});

test('W7 keeps the last address of each server, newest first', () => {
  Object.assign(globalThis, { location: { protocol: 'http:', hostname: '127.0.0.1' } });
  noteAddresses('p', ['http://localhost:1/']);
  noteAddresses('p', ['http://localhost:2/', 'http://localhost:1/new']);
  expect(seenAddresses.get().p).toEqual(['http://localhost:1/new', 'http://localhost:2/']);
});
