/**
 * `kill -9` of the real host at each named step of a restore, a full disk and a read-only folder (T19, T21), by the command
 * line and with the real agent: every file is whole, old or new, and the restore can be finished, undone or left. Full tier.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const mounts: string[] = [];
const at = (name: string) => join(place.sandbox.project, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);
const files = () => Object.fromEntries(NAMES.map((name) => [name, read(name)]));
const run = (...args: string[]) => place.run('checkpoints', ...args);

beforeAll(async () => {
  if (isFullTier) place = await openPlace();
});
afterAll(async () => {
  unmount();
  await place?.close();
});

const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'pipe' });

function unmount(): void {
  for (const folder of mounts.splice(0).reverse()) execFileSync('umount', [folder], { stdio: 'pipe' });
}

/** Mounting needs rights that not every machine gives. */
function canMount(): boolean {
  try {
    mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place.sandbox.project);
    mounts.push(place.sandbox.project);
    return true;
  } catch {
    return false;
  }
}

/** A session whose only turn changes files by `work`. */
async function turnOf(word: string, work: () => void): Promise<string> {
  place.fake.script(word, [text(['Half ', hold(word), 'done.'])]);
  const sending = place.run('send', '--new', '--wait', '--json', `SCN:${word}`);
  await place.fake.reached(word);
  work();
  place.fake.release(word);
  return JSON.parse((await sending).stdout).session;
}

/** A session whose only turn changes all files: they are written while the agent works. */
async function begin(): Promise<void> {
  for (const name of ['a.txt', 'b.txt']) writeFileSync(at(name), 'one\n');
  session = await turnOf('work', () => {
    for (const name of NAMES) writeFileSync(at(name), NEW[name]);
  });
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

test.runIf(isFullTier)(
  'T19 a full disk: whole files, refused messages, then finish, undo or leave once there is room',
  async () => {
    if (!canMount()) return;
    const large = (word: string) => `${word.repeat(75_000)}\n`;
    for (const name of ['a.txt', 'b.txt']) writeFileSync(at(name), large('one '));
    session = await turnOf('shrink', () => {
      for (const name of ['a.txt', 'b.txt']) writeFileSync(at(name), 'two\n');
    });
    const texts = () => ['a.txt', 'b.txt'].map(read);
    const [before, after] = [
      ['two\n', 'two\n'],
      [large('one '), large('one ')],
    ];
    for (const way of ['finish', 'undo', 'leave']) {
      // Room for one of the two files.
      writeFileSync(at('ballast'), 'x'.repeat(500_000));
      expect((await run('restore', session, '1', '--files', '--yes')).code, way).not.toBe(0);
      for (const one of texts()) expect(['two\n', large('one ')], way).toContain(one);
      expect(texts(), way).not.toEqual(after);
      expect(await isOpen(), way).toBe(true);
      expect((await place.run('send', '--session', session, 'next')).code, way).toBe(3);
      rmSync(at('ballast'));
      expect((await run(way, session)).code, way).toBe(0);
      expect(await isOpen(), way).toBe(false);
      if (way === 'undo') expect(texts()).toEqual(before);
      if (way === 'leave') {
        const { code, stdout } = await run('restore', session, '1', '--files', '--yes');
        expect([code, stdout]).toEqual([0, expect.not.stringContaining('conflict')]);
      }
      if (way !== 'undo') expect(texts(), way).toEqual(after);
      if (way === 'finish') expect((await run('undo', session)).code).toBe(0);
    }
    unmount();
    expect(place.records()).toEqual([]);
  },
  600_000,
);

test.runIf(isFullTier)(
  'T21 a read-only folder: its files stay alone and are named, and the next restore does the rest',
  async () => {
    if (!canMount()) return;
    mkdirSync(at('locked'));
    for (const name of ['a.txt', 'locked/c.txt']) writeFileSync(at(name), 'one\n');
    session = await turnOf('edit', () => {
      for (const name of ['a.txt', 'locked/c.txt']) writeFileSync(at(name), 'two\n');
    });
    mount('--bind', at('locked'), at('locked'));
    mounts.push(at('locked'));
    mount('-o', 'remount,ro,bind', at('locked'));
    const { code, stdout, stderr } = await run('restore', session, '1', '--files', '--yes');
    expect([code, stdout, stderr]).toEqual([
      4,
      expect.anything(),
      expect.stringContaining('1 left unchanged'),
    ]);
    expect([read('a.txt'), read('locked/c.txt')]).toEqual(['one\n', 'two\n']);
    expect(await isOpen()).toBe(false);
    mounts.pop();
    execFileSync('umount', [at('locked')]);
    expect((await run('restore', session, '1', '--files', '--yes')).code).toBe(0);
    expect(read('locked/c.txt')).toBe('one\n');
    unmount();
  },
  300_000,
);
