import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openIndex } from '../src/index-database.ts';
import { type SessionFile, SessionFiles } from '../src/session-files.ts';
import { Titles } from '../src/titles.ts';

let root: string;
let database: Database;
let files: SessionFiles;
let titles: Titles;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tdt-'));
  database = openIndex(join(root, 'search.db'));
  files = new SessionFiles(database);
  titles = new Titles(files);
});
afterEach(() => {
  database.close();
  rmSync(root, { recursive: true, force: true });
});

function add(title: string, activeAt: number): SessionFile {
  const id = String(files.size);
  const base = { path: `/${id}`, row: id, agent: 'claude', session: id, own: false };
  return files.insert({ ...base, inode: 1, size: 1, mtime: 1, facts: { title, activeAt } });
}

const found = (...words: string[]) =>
  [...titles.matching(words)].map(({ facts, mtime }) => facts.activeAt ?? mtime);

test('S5 finds titles most recently active first, with phrase matches before all others', () => {
  add('Mend the garden fence', 1);
  add('The fence of a garden', 3);
  add('Élan of the Fence', 2);
  add('', 4);
  expect(found('fence')).toEqual([3, 2, 1]);
  expect(found('garden', 'fence')).toEqual([1, 3]);
  expect(found('elan')).toEqual([2]);
  // Neither across two titles, nor for an empty query.
  expect(found('garden', 'elan')).toEqual([]);
  expect(found('oak')).toEqual([]);
  expect(found()).toEqual([]);
});

test('S5 finds a new, changed or removed title as it is now', () => {
  const file = add('Mend the fence', 1);
  expect(found('fence')).toEqual([1]);
  add('Paint the fence', 2);
  expect(found('fence')).toEqual([2, 1]);
  files.setProgress(file, { done: 1, facts: { title: 'Mend the gate', activeAt: 5 }, memory: undefined });
  expect(found('fence')).toEqual([2]);
  expect(found('gate')).toEqual([5]);
  files.updateStat(file, { ...file, mtime: 7, facts: { title: 'Close the gate' } });
  expect(found('gate')).toEqual([7]);
  files.remove(file);
  expect(found('gate')).toEqual([]);
});
