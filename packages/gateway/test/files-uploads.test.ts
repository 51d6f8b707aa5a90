import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBlob } from '@tugdeck/journal/blobs';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { FileIndex } from '@tugdeck/machine/files/file-index';
import { listFiles } from '@tugdeck/machine/files/list-files';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import type { Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import { fetchAs, pageWithSession, type TestPlace, testPlace } from './test-server.ts';

let place: TestPlace;
let server: RunningServer;

beforeEach(async () => {
  place = testPlace();
  server = await place.start({ limits: { upload: 200_000 } });
});
afterEach(() => place.clear());

function write(path: string, text = ''): void {
  const file = join(place.project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: place.project, stdio: 'pipe' });

test('C9 files and folders are found by a few letters, best match first', async () => {
  const { visit, project } = await pageWithSession(place, server);
  for (const path of ['src/app.ts', 'src/deep/a-pretty-thing.ts', 'README.md', 'node_modules/app/app.ts'])
    write(path);
  const find = async (query: string) => {
    const answer = await fetchAs(visit, `${server.origin}/api/files?project=${project}&q=${query}`);
    return (JSON.parse(answer.body) as { files: { path: string; kind: string }[] }).files;
  };
  expect(await find('apt')).toEqual([
    { path: 'src/app.ts', kind: 'file' },
    { path: 'src/deep/a-pretty-thing.ts', kind: 'file' },
  ]);
  expect((await find('')).map(({ path }) => path)).toEqual([
    'README.md',
    'src/',
    'src/app.ts',
    'src/deep/',
    'src/deep/a-pretty-thing.ts',
  ]);
  expect((await find('deep'))[0]).toEqual({ path: 'src/deep/', kind: 'folder' });
});

test('C9 in a repository, ignored files are left out, and nothing of the repository is run', async () => {
  git('init', '-q');
  write('.gitignore', 'built/\n*.log\n');
  for (const path of ['kept.ts', 'built/out.js', 'noise.log']) write(path);
  git('config', 'core.fsmonitor', `touch ${join(place.project, 'was-run')}; false`);
  expect([...(await listFiles(place.project))].sort()).toEqual(['.gitignore', 'kept.ts']);
  expect(existsSync(join(place.project, 'was-run'))).toBe(false);
});

test('X33 a link out of the project is not offered, one inside is', async () => {
  const outside = join(place.root, 'secret.txt');
  writeFileSync(outside, 'secret');
  write('inside.txt');
  symlinkSync(outside, join(place.project, 'leak.txt'));
  symlinkSync(join(place.project, 'inside.txt'), join(place.project, 'same.txt'));
  symlinkSync(place.root, join(place.project, 'data'));
  const found = await new FileIndex(place.project).find('', 50);
  expect(found.map(({ path }) => path)).toEqual(['inside.txt', 'same.txt']);
});

test('C9 the list is cached until something changes', async () => {
  const index = new FileIndex(place.project);
  write('one.txt');
  write('old/gone.txt');
  expect(await index.find('', 50)).toHaveLength(3);
  write('two.txt');
  expect(await index.find('', 50)).toHaveLength(3);
  await index.change({ created: ['two.txt', 'one.txt'], deleted: ['old'] });
  expect((await index.find('', 50)).map(({ path }) => path)).toEqual(['one.txt', 'two.txt']);
  write('three.txt');
  index.forget();
  expect(await index.find('t', 50)).toHaveLength(4);
});

test('S2 files of an unknown project are refused', async () => {
  const { visit } = await pageWithSession(place, server);
  const nowhere = await fetchAs(visit, `${server.origin}/api/files?project=nothing`);
  expect([nowhere.status, JSON.parse(nowhere.body).code]).toEqual([404, 'PROJECT_NOT_FOUND']);
  const nothing = await fetchAs(visit, `${server.origin}/api/files`);
  expect([nothing.status, JSON.parse(nothing.body).code]).toEqual([400, 'INVALID_MESSAGE']);
});

function upload(session: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
  return fetch(`${server.origin}/api/upload/${session}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  });
}

async function ownHeaders(visit: Visit, session: string): Promise<Record<string, string>> {
  return { origin: server.origin, ...(await visit.proof(`/api/upload/${session}`, 'POST')) };
}

test('X2 a large file becomes a blob of its session, as base64', async () => {
  const { visit, session } = await pageWithSession(place, server);
  const bytes = new Uint8Array(100_000).map((_, index) => index % 251);
  const answer = await upload(session, bytes, await ownHeaders(visit, session));
  expect(answer.status).toBe(201);
  const ref = (await answer.json()) as BlobRef;
  const stored = readBlob(dataDirectory(place.root).session(session), ref.blob)?.toString('utf8') ?? '';
  expect(Buffer.from(stored, 'base64').equals(bytes)).toBe(true);
  expect(ref).toMatchObject({ size: stored.length, head: '', tail: '' });
});

test('X1 X2 an upload needs our origin, a sign-in, a session and a size within the limit', async () => {
  const { visit, session } = await pageWithSession(place, server);
  const own = await ownHeaders(visit, session);
  const small = new Uint8Array(10);
  const codes = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
  expect(await codes(await upload(session, small, { authorization: own.authorization ?? '' }))).toEqual([
    403,
    'FORBIDDEN_ORIGIN',
  ]);
  expect(await codes(await upload(session, small, { ...own, origin: 'http://evil.test' }))).toEqual([
    403,
    'FORBIDDEN_ORIGIN',
  ]);
  expect(await codes(await upload(session, small, { origin: server.origin }))).toEqual([401, 'UNAUTHORIZED']);
  expect(await codes(await upload('nothing', small, await ownHeaders(visit, 'nothing')))).toEqual([
    404,
    'SESSION_NOT_FOUND',
  ]);
  expect(await codes(await upload('..%2F..', small, await ownHeaders(visit, '..%2F..')))).toEqual([
    404,
    'SESSION_NOT_FOUND',
  ]);
  expect(await codes(await upload(session, new Uint8Array(200_001), own))).toEqual([
    413,
    'PAYLOAD_TOO_LARGE',
  ]);
  expect((await upload(session, small, { ...own, 'content-type': 'text/plain' })).status).toBe(400);
});
