import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REFUSALS } from '../src/conversation/decide.ts';
import { ADVICE } from '../src/wire/error-advice.ts';
import type { ErrorCode } from '../src/wire/error-codes.ts';
import { ERRORS } from '../src/wire/errors.ts';

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

test('S2 docs/errors.md lists every error code with its meaning and what to do, and no other', () => {
  const rows = Object.entries(ERRORS).map(
    ([code, { retryable, text }]) =>
      `| \`${code}\` | ${retryable ? 'yes' : 'no'} | ${text} | ${ADVICE[code as ErrorCode]} |`,
  );
  expect(page.match(/^\| `[A-Z_]+` \| (yes|no) \|.*$/gm)).toEqual(rows);
});

test('M4 docs/errors.md lists every refusal of a command', () => {
  const rows = Object.entries(REFUSALS).map(([code, text]) => `| \`${code}\` | ${text} |`);
  expect(page.match(/^\| `[A-Z_]+` \| (?!yes|no).*$/gm)).toEqual(rows);
});
