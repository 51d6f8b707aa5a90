import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { inboundMessageSchema, outboundMessageSchema, STDIO_ERRORS } from '../src/stdio/messages.ts';
import { deckMessageSchema, deckRequestSchema } from '../src/wire/deck.ts';
import { FEED } from '../src/wire/frames.ts';
import { hostMessageSchema, hostRequestSchema } from '../src/wire/host-link.ts';

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');

interface Union extends z.ZodType {
  readonly options: readonly { readonly shape: { readonly type: { readonly value: string } } }[];
}

const LISTS: readonly (readonly [string, Union, readonly string[] | undefined])[] = [
  // The last column: messages that the page may omit; without it, only some are shown.
  ['in', inboundMessageSchema, []],
  ['out', outboundMessageSchema, []],
  ['host-in', hostRequestSchema, []],
  ['host-out', hostMessageSchema, ['snapshot']],
  ['deck-in', deckRequestSchema, undefined],
  ['deck-out', deckMessageSchema, undefined],
];

function examples(list: string): Record<string, unknown>[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`jsonl ${list}\\n(.*?)^\`\`\`$`, 'gms'))];
  return blocks
    .flatMap(([, lines]) => (lines ?? '').trim().split('\n'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('docs/protocol.md', () => {
  test.each(LISTS)(
    'H3 every example of "%s" is valid, with no field that the schema lacks',
    (list, schema) => {
      expect(examples(list).length).toBeGreaterThan(0);
      for (const example of examples(list)) {
        // Parsing adds defaults; fields that it removes are not in the protocol.
        expect(schema.parse(example)).toMatchObject(example);
      }
    },
  );

  test.each(LISTS)('H3 every message of "%s" has an example', (list, schema, left) => {
    const shown = new Set(examples(list).map(({ type }) => type));
    const all = schema.options.map(({ shape }) => shape.type.value);
    if (left) expect(all.filter((type) => !shown.has(type))).toEqual(left);
  });

  test('H3 every message and error code of the protocol is explained', () => {
    for (const schema of [inboundMessageSchema, outboundMessageSchema]) {
      for (const { shape } of schema.options) expect(page).toContain(`\n| \`${shape.type.value}\` | `);
    }
    for (const [code, text] of Object.entries(STDIO_ERRORS))
      expect(page).toContain(`| \`${code}\` | ${text} |`);
  });

  test('S1 the feeds have the numbers of the page', () => {
    const numbers = [...page.matchAll(/^\| `(0x[0-9a-f]{2})` /gm)].map(([, number]) => Number(number));
    expect([...numbers].sort()).toEqual(Object.values(FEED).sort());
  });
});
