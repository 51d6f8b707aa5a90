import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runtimeDirectory } from '../src/runtime-directory.ts';

const isRoot = process.getuid?.() === 0;
const MALLORY = 64_011;

let base: string;
let data: string;
let usual: string;
const inBase = () => runtimeDirectory(data, { TUGDECK_RUNTIME_DIR: base });
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tr-')));
  data = join(base, 'data');
  mkdirSync(data, { mode: 0o700 });
  usual = inBase();
  rmSync(usual, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A second name beside the taken one, private, and the same for the next server. */
function expectAnotherName(): void {
  const other = inBase();
  expect(other).not.toBe(usual);
  expect(dirname(other)).toBe(base);
  expect(basename(other)).toMatch(/^tugdeck-\d+-\w{6}$/);
  expect(lstatSync(other).mode & 0o777).toBe(0o700);
  expect(statSync(join(data, 'run', 'runtime.json')).mode & 0o777).toBe(0o600);
  expect(inBase()).toBe(other);
}

test('X9 chooses another name if a link has the name', () => {
  mkdirSync(join(base, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(base, 'elsewhere'), usual);
  expectAnotherName();
});

test('X9 chooses another name if a file has the name, and keeps the file', () => {
  writeFileSync(usual, 'mine');
  expectAnotherName();
  expect(readFileSync(usual, 'utf8')).toBe('mine');
});

test.runIf(isRoot)('X9 chooses another name if a link of another user has the name', () => {
  chmodSync(base, 0o1777);
  symlinkSync(data, usual);
  lchownSync(usual, MALLORY, MALLORY);
  expectAnotherName();
});

test.runIf(isRoot)('X9 chooses another name if a directory of another user has the name', () => {
  mkdirSync(usual, { mode: 0o777 });
  chownSync(usual, MALLORY, MALLORY);
  expectAnotherName();
});

test('X9 removes access of others from our own directory and uses it', () => {
  mkdirSync(usual);
  writeFileSync(join(usual, 'server.sock'), '');
  chmodSync(usual, 0o777);
  expect(inBase()).toBe(usual);
  expect(statSync(usual).mode & 0o777).toBe(0o700);
});

test.runIf(isRoot)('X9 does not use our own open directory with a file of another user', () => {
  mkdirSync(join(usual, 'server.sock'), { recursive: true });
  chownSync(join(usual, 'server.sock'), MALLORY, MALLORY);
  chmodSync(usual, 0o777);
  expectAnotherName();
});

test('X9 chooses a third name if the second is no longer ours', () => {
  writeFileSync(usual, '');
  const other = inBase();
  renameSync(other, `${other}.away`);
  writeFileSync(other, '');
  expect([usual, other]).not.toContain(inBase());
  rmSync(usual);
  rmSync(join(data, 'run', 'runtime.json'));
  expect(inBase()).toBe(usual);
});

test('X9 ignores a stored name that is damaged, not ours or for another base', () => {
  writeFileSync(usual, '');
  const other = inBase();
  const note = join(data, 'run', 'runtime.json');
  chmodSync(note, 0o666);
  expect(inBase()).not.toBe(other);
  writeFileSync(note, '{"directory":');
  expect(() => inBase()).not.toThrow();
  mkdirSync(join(base, 'x'), { mode: 0o700 });
  expect(dirname(runtimeDirectory(data, { TUGDECK_RUNTIME_DIR: join(base, 'x') }))).toBe(join(base, 'x'));
});

test('X9 creates TUGDECK_RUNTIME_DIR if it is missing', () => {
  const made = runtimeDirectory(data, { TUGDECK_RUNTIME_DIR: join(base, 'n', 'm') });
  expect(dirname(made)).toBe(join(base, 'n', 'm'));
});

test('X9 reports an unusable TUGDECK_RUNTIME_DIR with advice', () => {
  writeFileSync(join(base, 'file'), '');
  for (const chosen of [join(base, 'file'), join(base, 'file', 'deeper'), join(base, 'long'.repeat(30))])
    expect(() => runtimeDirectory(data, { TUGDECK_RUNTIME_DIR: chosen })).toThrow(
      expect.objectContaining({ code: 'DATA_UNWRITABLE', message: expect.stringContaining(chosen) }),
    );
  mkdirSync(join(base, 'open'));
  chmodSync(join(base, 'open'), 0o777);
  expect(() => runtimeDirectory(data, { TUGDECK_RUNTIME_DIR: join(base, 'open') })).toThrow(
    expect.objectContaining({ code: 'DATA_UNSAFE' }),
  );
});

test('X9 skips an XDG_RUNTIME_DIR that is missing, a file, too long or open to all', () => {
  mkdirSync(join(base, 'open'));
  chmodSync(join(base, 'open'), 0o777);
  writeFileSync(join(base, 'file'), '');
  const long = join(base, 'long'.repeat(20));
  mkdirSync(long);
  for (const XDG_RUNTIME_DIR of [join(base, 'none'), join(base, 'file'), long, join(base, 'open')]) {
    const made = runtimeDirectory(data, { XDG_RUNTIME_DIR });
    expect(made.startsWith(`${XDG_RUNTIME_DIR}/`)).toBe(false);
    expect(lstatSync(made).mode & 0o777).toBe(0o700);
    rmSync(made, { recursive: true });
  }
  mkdirSync(join(base, 'xdg'), { mode: 0o700 });
  const XDG_RUNTIME_DIR = join(base, 'xdg');
  expect(dirname(runtimeDirectory(data, { XDG_RUNTIME_DIR }))).toBe(XDG_RUNTIME_DIR);
});

test.runIf(isRoot)('X9 skips an XDG_RUNTIME_DIR of another user', () => {
  const XDG_RUNTIME_DIR = join(base, 'xdg');
  mkdirSync(XDG_RUNTIME_DIR, { mode: 0o700 });
  chownSync(XDG_RUNTIME_DIR, MALLORY, MALLORY);
  const made = runtimeDirectory(data, { XDG_RUNTIME_DIR });
  expect(made.startsWith(base)).toBe(false);
  rmSync(made, { recursive: true });
});
