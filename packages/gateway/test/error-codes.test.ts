/** Every error code is provoked where a user would meet it, and has a message with advice (S2). */
import { ADVICE } from '@tugdeck/protocol/wire/error-advice';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { ERRORS } from '@tugdeck/protocol/wire/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DECK_CASES } from './errors/deck-cases.ts';
import { FORGE_CASES } from './errors/forge-cases.ts';
import { LANDING_CASES } from './errors/landing-cases.ts';
import { NETWORK_CASES } from './errors/network-cases.ts';
import { PROJECT_CASES } from './errors/project-cases.ts';
import { TRANSPORT_CASES } from './errors/transport-cases.ts';
import { type ErrorCase, openWorld, type World } from './errors/world.ts';

// A missing code does not compile, and fails the last test.
const CASES: Readonly<Record<ErrorCode, ErrorCase>> = {
  ...TRANSPORT_CASES,
  ...PROJECT_CASES,
  ...FORGE_CASES,
  ...LANDING_CASES,
  ...NETWORK_CASES,
  ...DECK_CASES,
};
/** Other systems have no folder that even root cannot write to. */
const LINUX: readonly string[] = ['FILE_DENIED'];

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const codes = Object.entries(CASES) as [ErrorCode, ErrorCase][];
test.each(codes)(
  'S2 %s has a message and advice',
  async (code, { provoke, says = ERRORS[code].text, advises = ADVICE[code] }) => {
    if (LINUX.includes(code) && process.platform !== 'linux') return;
    const report = await provoke(world);
    expect(report.code).toBe(code);
    expect(report.message).toMatch(typeof says === 'string' ? exactly(says) : says);
    expect(report.hint).toMatch(typeof advises === 'string' ? exactly(advises) : advises);
    // Readable for people: no internals, nothing echoed.
    expect(report.message).not.toMatch(/undefined|\[object|\n\s+at |Error:|SQLITE/);
  },
);

test('S2 every code of the catalog has a case, and no other', () => {
  expect(Object.keys(CASES).sort()).toEqual(Object.keys(ERRORS).sort());
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`);
}
