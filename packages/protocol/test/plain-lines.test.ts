import { lastLines, PlainText } from '@tugdeck/protocol/terminal/plain-lines';
import { expect, test } from 'vitest';

const bytes = (text: string) => new TextEncoder().encode(text);

test('W11 takes only the lines of a flood that will be kept', () => {
  const text = bytes(Array.from({ length: 1_000 }, (_, at) => `${at}\r\n`).join(''));
  const left = new TextDecoder().decode(lastLines(text, 10));
  expect(left).toMatch(/^\r\n990\r\n991\r\n.*999\r\n$/s);
  expect(lastLines(text, 1_000)).toBe(text);
  // Without a carriage return, the column is unknown.
  const stairs = bytes(`a\r\nb\n${'c\n'.repeat(20)}`);
  expect(new TextDecoder().decode(lastLines(stairs, 5))).toMatch(/^\r\nb\n(c\n)+$/);
});

test('W11 recognizes text from what came before it', () => {
  const plain = (...parts: string[]) => {
    const text = new PlainText();
    return parts.map((part) => text.takes(bytes(part)));
  };
  expect(plain('a\r\nb\tc\u0007', 'Ünïcödé 日本')).toEqual([7, 18]);
  expect(plain('a\u001b[31mb', 'c')).toEqual([1, 1]);
  expect(plain('\u001b]2;title', 'a\r\n', '\u0007', 'b')).toEqual([0, 0, 0, 1]);
  expect(plain('\u001bP+q', 'a\u0007b', '\u001b\\', 'b')).toEqual([0, 0, 0, 1]);
  expect(plain('\u001b', '\n', '[', '5', 'n', 'b')).toEqual([0, 0, 0, 0, 0, 1]);
  expect(plain('\u0090', 'x\r\n', '\u001b\\', 'b')).toEqual([0, 0, 0, 1]);
  expect(plain('ab\u000e', 'b')).toEqual([2, 1]);
});
