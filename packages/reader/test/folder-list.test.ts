import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ListedFile, listFolder } from '../src/folder-list.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tdl-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string, files: number, changedAt: number): void {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  for (let index = 0; index < files; index++) writeFileSync(join(path, `${name}-${index}.jsonl`), '');
  utimesSync(path, changedAt, changedAt);
}

const sessionOf = (path: string) => (path.endsWith('.jsonl') ? basename(path, '.jsonl') : undefined);

test('A40 reports the first of many files before the listing is complete, from the last changed folder', async () => {
  folder('a', 150, 1_000);
  folder('b', 300, 3_000);
  folder('c', 150, 2_000);
  const reported: ListedFile[][] = [];
  const listed = await listFolder(root, sessionOf, (files) => reported.push([...files]));
  expect(listed).toHaveLength(600);
  expect(reported).toHaveLength(1);
  expect(reported[0]).toHaveLength(200);
  expect(reported[0]?.every(({ session }) => session.startsWith('b-'))).toBe(true);
  expect(listed.slice(300, 450).every(({ session }) => session.startsWith('c-'))).toBe(true);
});

test('A40 reports few files when the listing is complete', async () => {
  folder('a', 3, 1_000);
  const listed = await listFolder(root, sessionOf, () => expect.unreachable());
  expect(listed.map(({ session }) => session).sort()).toEqual(['a-0', 'a-1', 'a-2']);
});
