import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepMachine, type MachineChoice, machineFile } from '../src/machine.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tugdeck-machine-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const start = (machine?: string, choice?: MachineChoice) =>
  keepMachine({ root }, choice, machine === undefined ? {} : { machine });
const refused = expect.objectContaining({ code: 'MACHINE_CHANGED' });

test('N3 a machine gets a random id at its first start and keeps it, in a private file', () => {
  const id = start('a');
  expect([start('a'), start('a', 'new'), start('a', 'moved')]).toEqual([id, id, id]);
  expect(statSync(machineFile(root)).mode & 0o777).toBe(0o600);
  expect(readdirSync(root)).toEqual(['machine.json']);
});

test('N3 the data directory of another machine is refused until somebody says what it is', () => {
  const id = start('a');
  const before = readFileSync(machineFile(root), 'utf8');
  expect(() => start('b')).toThrow(refused);
  expect(readFileSync(machineFile(root), 'utf8')).toBe(before);
  expect(start('a')).toBe(id);
});

test('N3 machines that share a directory have an id each and are not asked again', () => {
  const a = start('a');
  const b = start('b', 'new');
  expect(b).not.toBe(a);
  expect([start('a'), start('b'), start('a')]).toEqual([a, b, a]);
  expect(() => start('c')).toThrow(refused);
});

test('N3 a directory that moved keeps its id; the machine it came from no longer has it', () => {
  const id = start('a');
  expect(start('b', 'moved')).toBe(id);
  expect(start('b')).toBe(id);
  expect(() => start('a')).toThrow(refused);
});

test('N3 a system without an id compares nothing', () => {
  const id = start();
  expect(start()).toBe(id);
  // The first system that has one is taken for the one it was made on.
  expect(start('a')).toBe(id);
  expect(start()).toBe(id);
  expect(() => start('b')).toThrow(refused);
});

test.each(['', '{', '{}', '{"machines":[]}', '{"machines":[{"id":"x"}]}', 'null'])(
  'N3 a file that holds %j is told, not replaced',
  (text) => {
    writeFileSync(machineFile(root), text);
    expect(() => start('a', 'new')).toThrow(expect.objectContaining({ code: 'DATA_UNREADABLE' }));
    expect(readFileSync(machineFile(root), 'utf8')).toBe(text);
  },
);

test('N3 a directory that a hundred systems used still opens', () => {
  for (let system = 0; system < 120; system++) start(`system ${system}`, 'new');
  const id = start('system 119');
  expect(start('system 119')).toBe(id);
});
