import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureMachineId, type MachineChoice, machineFile } from '../src/machine.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tugdeck-machine-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const start = (machine?: string, choice?: MachineChoice) =>
  ensureMachineId({ root }, choice, machine === undefined ? {} : { machine });
const refused = expect.objectContaining({ code: 'MACHINE_CHANGED' });

test('N3 creates a random machine id at the first start and keeps it in a private file', () => {
  const id = start('a');
  expect([start('a'), start('a', 'new'), start('a', 'moved')]).toEqual([id, id, id]);
  expect(statSync(machineFile(root)).mode & 0o777).toBe(0o600);
  expect(readdirSync(root)).toEqual(['machine.json']);
});

test('N3 refuses the data directory of another machine until the user decides', () => {
  const id = start('a');
  const before = readFileSync(machineFile(root), 'utf8');
  expect(() => start('b')).toThrow(refused);
  expect(readFileSync(machineFile(root), 'utf8')).toBe(before);
  expect(start('a')).toBe(id);
});

test('N3 machines that share a directory have one id each and are not asked again', () => {
  const a = start('a');
  const b = start('b', 'new');
  expect(b).not.toBe(a);
  expect([start('a'), start('b'), start('a')]).toEqual([a, b, a]);
  expect(() => start('c')).toThrow(refused);
});

test('N3 a moved directory keeps its id, which the old machine loses', () => {
  const id = start('a');
  expect(start('b', 'moved')).toBe(id);
  expect(start('b')).toBe(id);
  expect(() => start('a')).toThrow(refused);
});

test('N3 compares nothing on a system without an id', () => {
  const id = start();
  expect(start()).toBe(id);
  // The first system with an id counts as the one it was created on.
  expect(start('a')).toBe(id);
  expect(start()).toBe(id);
  expect(() => start('b')).toThrow(refused);
});

test.each(['', '{', '{}', '{"machines":[]}', '{"machines":[{"id":"x"}]}', 'null'])(
  'N3 reports a file that contains %j instead of replacing it',
  (text) => {
    writeFileSync(machineFile(root), text);
    expect(() => start('a', 'new')).toThrow(expect.objectContaining({ code: 'DATA_UNREADABLE' }));
    expect(readFileSync(machineFile(root), 'utf8')).toBe(text);
  },
);

test('N3 opens a directory that a hundred systems have used', () => {
  for (let system = 0; system < 120; system++) start(`system ${system}`, 'new');
  const id = start('system 119');
  expect(start('system 119')).toBe(id);
});
