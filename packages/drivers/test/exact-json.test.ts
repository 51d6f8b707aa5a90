/** Numbers of a permission are shown as written by the agent, not as rounded by JavaScript (C6). */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../protocol/test/random-conversation.ts';
import { acpReplay } from '../src/acp/replay-parts.ts';
import { claudeReplay } from '../src/claude/replay-parts.ts';
import { answerLine } from '../src/claude/serialize.ts';
import { exactJson, exactMember, exactSource, parseExact } from '../src/kit/exact-json.ts';
import type { ReplayDriver } from '../src/kit/replay.ts';

const STRINGS = ['', 'a', '12345678901234567890', '"', '\\', 'a\\"b', '{"x":1.0}', '\u202e', '[1e400,'];

/** A text as an agent may write it, with numbers in every JSON notation. */
function randomText(random: Random, depth = 0): string {
  const kind = random.below(depth > 3 ? 3 : 5);
  if (kind === 0) return randomNumber(random);
  if (kind === 1) return random.pick(['true', 'false', 'null']);
  if (kind === 2) return JSON.stringify(random.pick(STRINGS));
  const parts = Array.from({ length: random.below(5) }, () => randomText(random, depth + 1));
  if (kind === 3) return `[${parts.join(',')}]`;
  const key = (at: number) => JSON.stringify(`k${at}${random.pick(STRINGS)}`);
  return `{${parts.map((part, at) => `${key(at)}:${part}`).join(',')}}`;
}

function randomNumber(random: Random): string {
  const digits = Array.from({ length: 1 + random.below(30) }, () => random.below(10)).join('');
  const whole = digits.replace(/^0+(?=.)/, '');
  const fraction = random.chance(0.3) ? `.${random.below(100)}0` : '';
  const power = random.chance(0.3) ? random.pick(['e5', 'E+7', 'e-3', 'e400']) : '';
  return `${random.chance(0.3) ? '-' : ''}${whole}${fraction}${power}`;
}

test('C22 numbers survive parsing and writing exactly as written', () => {
  const random = createRandom(197);
  for (let round = 0; round < 1_000; round += 1) {
    const text = `{"in":${randomText(random)}}`;
    expect(exactJson(parseExact(text))).toBe(text);
  }
});

test('C22 the last of two keys counts, blanks and depth do no harm, plain data stays plain', () => {
  const data = parseExact('{"a":12345678901234567890,"a": 1 ,"b":[ 1.0 ,{"c":-0}]}') as Record<
    string,
    unknown
  >;
  expect(exactJson(data)).toBe('{"a":1,"b":[1.0,{"c":-0}]}');
  expect(exactMember(data, 'a')).toBe('1');
  expect(exactJson(parseExact('{"a":{"x":1.0},"a":[2.0]}'))).toBe('{"a":[2.0]}');
  expect(exactSource(parseExact('{"a":1,"b":"1.0"}'))).toBeUndefined();
  const deep = `${'['.repeat(5_000)}1.0${']'.repeat(5_000)}`;
  expect(parseExact(deep)).toBeInstanceOf(Array);
  expect(() => parseExact('{"a":1.0')).toThrow(SyntaxError);
});

function asked(driver: ReplayDriver, line: string) {
  const outputs = driver.run('r', NO_USAGE).take(parseExact(line)) as ChangeBody[];
  const [entry] = outputs.flatMap((one) =>
    one.kind === 'entry.opened' && one.entry.kind === 'permission' ? [one.entry] : [],
  );
  if (!entry) throw new Error('no permission');
  return entry.request;
}
const acp = (input: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"t","kind":"other","rawInput":${input}},"options":[]}}`;
const claude = (input: string) =>
  `{"type":"control_request","request_id":"c","request":{"subtype":"can_use_tool","tool_name":"mcp__a__b","input":${input}}}`;

describe.each([
  ['ACP', acpReplay, acp],
  ['Claude Code', claudeReplay, claude],
] as const)('a permission by %s', (_, driver, line) => {
  test('C22 has the numbers of its input as written, in its fields too', () => {
    const random = createRandom(198);
    for (let round = 0; round < 50; round += 1) {
      const input = `{"amount":12345678901234567890,"more":${randomText(random)}}`;
      const { source, fields } = asked(driver, line(input));
      expect(exactJson(parseExact(String(source)))).toBe(input);
      expect(fields[0]).toMatchObject({ label: 'Amount', value: '12345678901234567890' });
    }
    expect(asked(driver, line('{"amount":1}')).source).toBeUndefined();
    expect(asked(driver, line('{"amount\\n":1}')).source).toBe('{\n  "amount\\n": 1\n}');
  });
});

test('C21 an unedited input is sent back with its numbers', () => {
  const { request } = parseExact(claude('{"amount":12345678901234567890}')) as {
    request: { subtype: string };
  };
  const open = { id: 'c', kind: 'permission', raw: request, tool: undefined } as const;
  const allow = { type: 'permission', behavior: 'allow' } as const;
  expect(answerLine(open, allow)).toContain('"updatedInput":{"amount":12345678901234567890}');
});
