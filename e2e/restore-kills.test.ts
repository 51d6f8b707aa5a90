/**
 * `kill -9` of the real host at each named step of a restore (T19), by the command line and with the real agent: every
 * file is whole, old or new, and the restore can be finished, undone or left. Full tier.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hold, text } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finished, openPlace, type Place } from './command.ts';

const STEPS = [
  'planned',
  'kept',
  'journaled',
  'write 1',
  'replace 1',
  'write 2',
  'replace 2',
  'write 3',
  'applied',
  'ended',
];
const OLD = { 'a.txt': 'one\n', 'b.txt': 'one\n', 'made.txt': undefined };
const NEW = { 'a.txt': 'two\n', 'b.txt': 'two\n', 'made.txt': 'made\n' };
type Name = keyof typeof OLD;
const NAMES = Object.keys(OLD) as Name[];

let place: Place;
let session = '';
const at = (name: string) => join(place.sandbox.project, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);
const files = () => Object.fromEntries(NAMES.map((name) => [name, read(name)]));
const run = (...args: string[]) => place.run('checkpoints', ...args);

beforeAll(async () => {
  if (isFullTier) place = await openPlace();
});
afterAll(() => place?.close());

/** A session whose only turn changes all files: they are written while the agent works. */
async function begin(): Promise<void> {
  for (const name of ['a.txt', 'b.txt']) writeFileSync(at(name), 'one\n');
  place.fake.script('work', [text(['Half ', hold('mid'), 'done.'])]);
  const sending = place.run('send', '--new', '--wait', '--json', 'SCN:work');
  await place.fake.reached('mid');
  for (const name of NAMES) writeFileSync(at(name), NEW[name]);
  place.fake.release('mid');
  session = JSON.parse((await sending).stdout).session;
}

/** Restores with a host that kills itself at this step. */
async function cutOff(step: string): Promise<void> {
  const child = place.spawnWith(
    { TUGDECK_TEST_STOP: step },
    'checkpoints',
    'restore',
    session,
    '1',
    '--files',
    '--yes',
  );
  child.stdin.end();
  await finished(child);
  for (const name of NAMES) expect([OLD[name], NEW[name]], `${name} at ${step}`).toContain(read(name));
}

const isOpen = async () => (await run('list', session)).stderr.includes('A restore is unfinished');

test.runIf(isFullTier)(
  'T19 kill -9 of the host at each step: whole files, then finish, undo or leave',
  async () => {
    await begin();
    for (const step of STEPS) {
      await cutOff(step);
      // Before the journal has it nothing happened; after the last file the next host settles it.
      const isBegun = !['planned', 'kept'].includes(step);
      if (isBegun && step !== 'ended') {
        expect(await isOpen(), step).toBe(true);
        expect((await place.run('send', '--session', session, 'next')).code, step).toBe(3);
        expect((await run('finish', session)).code, step).toBe(0);
      } else if (isBegun) await run('show', session, '1');
      expect(await isOpen(), step).toBe(false);
      expect(files(), step).toEqual(isBegun ? OLD : NEW);
      if (!isBegun) continue;
      expect((await run('undo', session)).code, step).toBe(0);
      expect(files(), step).toEqual(NEW);
      if (step === 'ended') continue;
      await cutOff(step);
      expect((await run('undo', session)).code, step).toBe(0);
      expect(files(), step).toEqual(NEW);
    }
    await cutOff('replace 2');
    expect((await run('leave', session)).code).toBe(0);
    expect(await isOpen()).toBe(false);
    expect(place.records()).toEqual([]);
  },
  1_200_000,
);
