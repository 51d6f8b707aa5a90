/** Issue 5, line 4: every code of the catalogue is brought about by the door that it comes by, and told in words that one can act on. */
import { ADVICE } from '@tugdeck/protocol/wire/error-advice';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { ERRORS } from '@tugdeck/protocol/wire/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OF_THE_DECK } from './errors/deck-cases.ts';
import { OF_PROJECTS } from './errors/project-cases.ts';
import { OF_THE_DOOR } from './errors/transport-cases.ts';
import { openWorld, type Provocation, type World } from './errors/world.ts';

// A code without a provocation does not compile, and fails the last test.
const PROVOKED: Readonly<Record<ErrorCode, Provocation>> = { ...OF_THE_DOOR, ...OF_PROJECTS, ...OF_THE_DECK };
/** There is no folder that nobody may write to, whoever runs this. */
const LINUX: readonly string[] = ['FILE_DENIED'];

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const codes = Object.entries(PROVOKED) as [ErrorCode, Provocation][];
test.each(codes)(
  'S2 %s is said, with what to do',
  async (code, { provoke, says, advises = ADVICE[code] }) => {
    if (LINUX.includes(code) && process.platform !== 'linux') return;
    const report = await provoke(world);
    expect(report.code).toBe(code);
    expect(report.message).toMatch(typeof says === 'string' ? exactly(says) : says);
    expect(report.hint).toMatch(typeof advises === 'string' ? exactly(advises) : advises);
    // A sentence for people: nothing of the inside, nothing of what was sent.
    expect(report.message).not.toMatch(/undefined|\[object|\n\s+at |Error:|SQLITE/);
  },
);

test('S2 every code of the catalogue is provoked, and none that is not in it', () => {
  expect(Object.keys(PROVOKED).sort()).toEqual(Object.keys(ERRORS).sort());
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`);
}
