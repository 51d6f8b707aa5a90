/** W2: search without ripgrep, and parsing of ripgrep's output. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SearchHit, searchQuerySchema } from '@tugdeck/protocol/files/messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fallbackSearch } from '../../src/files/search/fallback-search.ts';
import { readHit, ripgrepArguments } from '../../src/files/search/ripgrep.ts';

let base: string;
let root: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tugdeck-search-'));
  root = join(base, 'project');
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'a.txt'), 'one lamp\r\nÄrger mit Lampen\r\nlamplight lamp\n');
  writeFileSync(join(root, 'sub/b.txt'), `${'x'.repeat(500)} lamp ${'y'.repeat(500)}`);
  writeFileSync(join(root, 'slow.txt'), `${'a'.repeat(40)}b\n`);
  writeFileSync(join(root, 'bytes.bin'), Buffer.from([0, 1, 2, 108, 97, 109, 112]));
  writeFileSync(join(base, 'secret.txt'), 'lamp');
  symlinkSync(join(base, 'secret.txt'), join(root, 'leak.txt'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const FILES = ['a.txt', 'sub/b.txt', 'slow.txt', 'bytes.bin', 'leak.txt', 'gone.txt'];

async function find(query: object, signal = new AbortController().signal): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  const emit = async (found: readonly SearchHit[]) => void hits.push(...found);
  await fallbackSearch({ root, query: searchQuerySchema.parse(query), signal, emit }, FILES);
  return hits;
}
const places = async (query: object) =>
  (await find(query)).map(({ path, line, at }) => [path, line, at.length]);

test('W26 words, case, patterns and folders; no binary files, nothing behind a link out of the project', async () => {
  expect(await places({ text: 'lamp' })).toEqual([
    ['a.txt', 1, 1],
    ['a.txt', 2, 1],
    ['a.txt', 3, 2],
    ['sub/b.txt', 1, 1],
  ]);
  expect(await places({ text: 'lamp', isWholeWord: true, folder: '' })).toHaveLength(3);
  expect(await places({ text: 'Lamp', isCaseSensitive: true })).toEqual([['a.txt', 2, 1]]);
  expect(await places({ text: '^.rger', isRegex: true })).toEqual([['a.txt', 2, 1]]);
  expect(await places({ text: 'lamp$', isRegex: true, folder: 'sub' })).toEqual([]);
  const [long] = await find({ text: 'lamp', folder: 'sub' });
  expect(long?.text.slice(long.at[0]?.[0], long.at[0]?.[1])).toBe('lamp');
  expect(long?.text.length).toBeLessThanOrEqual(300);
});

test('W26 a pattern that would run forever is stopped and does not block the server', async () => {
  // In CPU time, independent of other load.
  let longest = 0;
  let last = process.cpuUsage();
  const tick = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
  }, 1);
  await expect(find({ text: '(a+)+$', isRegex: true })).rejects.toMatchObject({ code: 'SEARCH_TOO_SLOW' });
  clearInterval(tick);
  expect(longest).toBeLessThan(250);
});

test('W26 a canceled search ends', async () => {
  const stop = new AbortController();
  stop.abort();
  await expect(find({ text: 'lamp' }, stop.signal)).rejects.toThrow();
});

test('W26 ripgrep gets literal text, and its byte offsets become characters', () => {
  const args = ripgrepArguments(searchQuerySchema.parse({ text: '--pre=evil' }));
  expect(args.slice(-3)).toEqual(['--regexp=--pre=evil', '--', './']);
  expect(args).toContain('--no-config');
  const line = JSON.stringify({
    type: 'match',
    data: {
      path: { text: './sub/ü.txt' },
      lines: { text: 'Ärger mit Lampen\n' },
      line_number: 7,
      absolute_offset: 10,
      submatches: [{ match: { text: 'Lampe' }, start: 11, end: 16 }],
    },
  });
  expect(readHit(line)).toEqual({
    path: 'sub/ü.txt',
    line: 7,
    column: 10,
    text: 'Ärger mit Lampen',
    at: [[10, 15]],
  });
  expect(readHit('{"type":"summary"}')).toBeUndefined();
  expect(readHit('not json')).toBeUndefined();
});
