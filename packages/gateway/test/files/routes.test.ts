/**
 * X33 for every entry point: each route and each request that takes a path, with every known way out. New ones belong into
 * the table; each answers with a code, and nothing outside the project is read or changed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Visit } from '@tugdeck/testkit/visit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../src/main.ts';
import { fetchAs, pageWithSession, type TestPage, type TestPlace, testPlace } from '../test-server.ts';

let place: TestPlace;
let server: RunningServer;
let page: TestPage;
let visit: Visit;
let project: string;
let session: string;
let outside: string;
const FILES = 20;
const GIT = 21;
const REVIEW = 22;
const HASH = '0'.repeat(64);
const HUNK = `${'0'.repeat(16)}-0`;

beforeAll(async () => {
  place = testPlace();
  execFileSync('git', ['init', '-q'], { cwd: place.project });
  mkdirSync(join(place.project, 'src'));
  writeFileSync(join(place.project, 'src/a.txt'), 'inside\n');
  outside = join(place.root, '..', 'outside-of-routes');
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  symlinkSync(outside, join(place.project, 'door'));
  symlinkSync(join(outside, 'secret.txt'), join(place.project, 'leak.txt'));
  execFileSync('mkfifo', [join(place.project, 'pipe')]);
  server = await place.start({});
  ({ page, visit, project, session } = await pageWithSession(place, server));
  await page.request({ type: 'feed.open', channel: FILES, feed: 'files', about: { project } });
  await page.request({ type: 'feed.open', channel: GIT, feed: 'git', about: { project } });
  await page.request({ type: 'feed.open', channel: REVIEW, feed: 'review', about: { session } });
});
afterAll(() => place.clear());

const viaFeed =
  (feed: 'files' | 'git' | 'review', channel: number, make: (path: string) => object) =>
  async (path: string): Promise<string> =>
    page.call(feed, channel, make(path)).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
const viaHttp =
  (method: string, route: string, type?: string, more: Record<string, string> = {}) =>
  async (path: string): Promise<string> => {
    const query = new URLSearchParams({ project, path, ...more });
    const answer = await visit.fetch(`/api/file/${route}?${query}`, {
      method,
      headers: type ? { 'content-type': type } : {},
      ...(type ? { body: 'x' } : {}),
    });
    const body = await answer.text();
    expect(body).not.toContain('secret');
    if (answer.ok) return body.includes('"gone"') ? 'FILE_NOT_FOUND' : 'done';
    return (JSON.parse(body) as { code: string }).code;
  };

type EntryPoint = (path: string) => Promise<string>;
const TEXT = 'application/vnd.tugdeck.text';
const FILE = 'application/vnd.tugdeck.file';
const scope = { since: 'session' };

const READING: Record<string, EntryPoint> = {
  'GET text': viaHttp('GET', 'text'),
  'GET raw': viaHttp('GET', 'raw'),
  'GET raw to keep': viaHttp('GET', 'raw', undefined, { keep: '1' }),
  list: viaFeed('files', FILES, (folder) => ({ do: 'list', folder })),
  search: viaFeed('files', FILES, (folder) => ({
    do: 'search',
    search: `s${Math.random()}`.slice(0, 12),
    query: { text: 'secret', folder },
  })),
};
const CHANGING: Record<string, EntryPoint> = {
  'PUT text, new': viaHttp('PUT', 'text', TEXT),
  'PUT text': viaHttp('PUT', 'text', TEXT, { expected: HASH }),
  upload: viaHttp('POST', 'upload', FILE),
  'create file': viaFeed('files', FILES, (path) => ({ do: 'create', path, kind: 'file' })),
  'create folder': viaFeed('files', FILES, (path) => ({ do: 'create', path, kind: 'folder' })),
  'rename from': viaFeed('files', FILES, (from) => ({ do: 'rename', from, to: 'src/stolen.txt' })),
  'rename to': viaFeed('files', FILES, (to) => ({ do: 'rename', from: 'src/a.txt', to })),
  delete: viaFeed('files', FILES, (path) => ({ do: 'delete', path })),
};
/** These know paths only from git or the review; any other path is unknown to them. */
const LISTED: Record<string, EntryPoint> = {
  'git diff': viaFeed('git', GIT, (path) => ({ type: 'diff', path, side: 'unstaged' })),
  'git stage': viaFeed('git', GIT, (path) => ({ type: 'stage', paths: [path] })),
  'git unstage': viaFeed('git', GIT, (path) => ({ type: 'unstage', paths: [path] })),
  'git discard': viaFeed('git', GIT, (path) => ({ type: 'discard', paths: [path], confirmed: true })),
  'git hunk': viaFeed('git', GIT, (path) => ({ type: 'hunk.discard', path, hunk: HUNK, confirmed: true })),
  'git resolve': viaFeed('git', GIT, (path) => ({ type: 'resolve', path, with: 'ours' })),
  'git blame': viaFeed('git', GIT, (path) => ({ type: 'blame', path })),
  'review diff': viaFeed('review', REVIEW, (path) => ({ type: 'diff', scope, path })),
  'review revert': viaFeed('review', REVIEW, (path) => ({ type: 'revert', scope, path })),
};

const outsideState = () =>
  JSON.stringify([readdirSync(outside), readFileSync(join(outside, 'secret.txt'), 'utf8')]);

async function outcomesOf(
  entryPoints: Record<string, EntryPoint>,
  path: string,
): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [name, entryPoint] of Object.entries(entryPoints)) outcomes[name] = await entryPoint(path);
  return outcomes;
}
const all = (entryPoints: Record<string, EntryPoint>, code: string) =>
  Object.fromEntries(Object.keys(entryPoints).map((name) => [name, code]));

test.each(['../outside-of-routes/secret.txt', 'src/../../outside-of-routes/secret.txt', '/etc/passwd', '..'])(
  'X33 no entry point reaches %j',
  async (path) => {
    const before = outsideState();
    const entryPoints = { ...READING, ...CHANGING };
    expect(await outcomesOf(entryPoints, path)).toEqual(all(entryPoints, 'PATH_OUTSIDE'));
    expect(outsideState()).toBe(before);
  },
);

test('X33 no entry point follows a link out of the project', async () => {
  const before = outsideState();
  const { list: _list, search: _search, ...files } = READING;
  const entryPoints = { ...files, ...CHANGING };
  expect(await outcomesOf(entryPoints, 'door/secret.txt')).toEqual(all(entryPoints, 'PATH_OUTSIDE'));
  expect(await outcomesOf(READING, 'door')).toEqual(all(READING, 'PATH_OUTSIDE'));
  expect(await outcomesOf(files, 'leak.txt')).toEqual(all(files, 'PATH_OUTSIDE'));
  expect(outsideState()).toBe(before);
});

test.each([
  ['a NUL', 'src/\0a.txt'],
  ['an empty segment', 'src//a.txt'],
  ['a dot', 'src/./a.txt'],
  ['an overlong segment', `src/${'n'.repeat(300)}`],
])('X33 a path with %s is refused by every entry point', async (_, path) => {
  const entryPoints = { ...READING, ...CHANGING };
  expect(await outcomesOf(entryPoints, path)).toEqual(all(entryPoints, 'PATH_INVALID'));
});

test("X33 no entry point changes git's own files", async () => {
  expect(await outcomesOf(CHANGING, '.git/hooks/post-checkout')).toEqual(all(CHANGING, 'FILE_PROTECTED'));
});

test('X33 no entry point blocks on a pipe', async () => {
  const { list, search, ...files } = READING;
  expect(await outcomesOf(files, 'pipe')).toEqual(all(files, 'NOT_A_FILE'));
  expect([await list?.('pipe'), await search?.('pipe')]).toEqual(['NOT_A_FOLDER', 'NOT_A_FOLDER']);
  expect(await CHANGING['PUT text']?.('pipe')).toBe('NOT_A_FILE');
  expect(await LISTED['git diff']?.('pipe')).not.toBe('INTERNAL_ERROR');
});

test('X33 git and review only act on listed paths', async () => {
  const before = outsideState();
  for (const path of [
    '../outside-of-routes/secret.txt',
    'door/secret.txt',
    '/etc/passwd',
    ':(top)*',
    '--all',
  ]) {
    for (const [name, code] of Object.entries(await outcomesOf(LISTED, path))) {
      expect([name, path, code]).toEqual([
        name,
        path,
        expect.stringMatching(/^(GIT_CHANGED|GIT_FAILED|REVIEW_NO_TREE|PATH_OUTSIDE)$/),
      ]);
    }
  }
  expect(outsideState()).toBe(before);
});

test('X33 names with line breaks, bidi characters and look-alikes are plain names', async () => {
  for (const name of ['two\nlines.txt', 'a\u202egpj.txt', '\u200b.txt', '%2e%2e', '-rf', '$(id)', 'a\\b']) {
    expect([name, await CHANGING['create file']?.(name)]).toEqual([name, 'done']);
    expect([name, await READING['GET text']?.(name)]).toEqual([name, 'done']);
    expect([name, await CHANGING['rename from']?.(name)]).toEqual([name, 'done']);
    expect([name, await CHANGING.delete?.('src/stolen.txt')]).toEqual([name, 'done']);
  }
});

test('X33 choosing a folder shows folder names only, and refuses files', async () => {
  const browse = async (path: string) => {
    const { status, body } = await fetchAs(
      visit,
      `${server.origin}/api/browse?path=${encodeURIComponent(path)}`,
    );
    return [status, body] as const;
  };
  for (const path of [
    join(outside, 'secret.txt'),
    join(place.project, 'pipe'),
    `${outside}\0`,
    'x'.repeat(5_000),
  ]) {
    const [status, body] = await browse(path);
    expect([path.slice(-20), status >= 400 && status < 500]).toEqual([path.slice(-20), true]);
    expect((JSON.parse(body) as { code: string }).code).not.toBe('INTERNAL_ERROR');
  }
  const [, body] = await browse(outside);
  expect(body).not.toContain('secret');
});
