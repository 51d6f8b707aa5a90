/** W2 on one running server: the live tree, finding, searching, the trash, contents over HTTP. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { CallName, CallOutput } from '@tugdeck/protocol/areas/area';
import { files as filesArea } from '@tugdeck/protocol/areas/files';
import {
  type FilesPush,
  filesPushSchema,
  fileTextSchema,
  saveAnswerSchema,
} from '@tugdeck/protocol/files/messages';
import type { Visit } from '@tugdeck/testkit/visit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../src/main.ts';
import { fetchUrl, pageWithSession, type TestPage, type TestPlace, testPlace } from '../test-server.ts';

let place: TestPlace;
let server: RunningServer;
let page: TestPage;
let visit: Visit;
let project: string;
let channel = 10;

beforeAll(async () => {
  place = testPlace();
  git('init', '-q');
  write('.gitignore', 'built/\n');
  write('README.md', '# Read me\n');
  write('src/lamp.ts', 'export const lamp = 1;\nexport const Lamp = 2;\n');
  write('src/deep/glow-worm.ts', 'const glow = "lamp";\n');
  write('built/out.js', 'lamp');
  server = await place.start({ limits: { fileUpload: 100_000 } });
  ({ page, visit, project } = await pageWithSession(place, server));
});
afterAll(() => place.clear());
beforeEach(async () => {
  channel += 1;
  page.received.length = 0;
  await page.request({ type: 'feed.open', channel, feed: 'files', about: { project } });
});

const git = (...args: string[]) => execFileSync('git', args, { cwd: place.project, stdio: 'pipe' });
const at = (path: string) => join(place.project, path);
function write(path: string, text = ''): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

async function files<Do extends CallName<typeof filesArea>>(
  what: { readonly do: Do } & Record<string, unknown>,
): Promise<CallOutput<typeof filesArea, Do>> {
  const value = await page.call('files', channel, what);
  return filesArea.calls[what.do].output.parse(value) as CallOutput<typeof filesArea, Do>;
}
const refused = (what: Record<string, unknown>) =>
  page.call('files', channel, what).then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
const pushed = async (fits: (push: FilesPush) => boolean): Promise<FilesPush> =>
  filesPushSchema.parse(await page.push(channel, (push) => fits(filesPushSchema.parse(push))));
const names = async (folder: string) =>
  (await files<'list'>({ do: 'list', folder })).entries.map(({ name }) => name);

test("W2 lists a folder, folders first, without git's own files", async () => {
  expect(await files<'list'>({ do: 'list', folder: '' })).toEqual({
    folder: '',
    left: 0,
    entries: [
      { name: 'built', kind: 'folder' },
      { name: 'src', kind: 'folder' },
      { name: '.gitignore', kind: 'file' },
      { name: 'README.md', kind: 'file' },
    ].map((entry) => expect.objectContaining(entry)),
  });
  expect(await refused({ do: 'list', folder: '..' })).toBe('PATH_OUTSIDE');
  expect(await refused({ do: 'list', folder: 'README.md' })).toBe('NOT_A_FOLDER');
  expect(await refused({ do: 'list', folder: 'nothing' })).toBe('FILE_NOT_FOUND');
  expect(await refused({ do: 'list', folder: '', extra: 1 })).toBe('INVALID_MESSAGE');
});

test('W2 reports files that others create, change or delete in an open folder, and nowhere else', async () => {
  await files({ do: 'list', folder: 'src' });
  await files({ do: 'follow', path: 'src/lamp.ts' });
  write('other/place.txt');
  write('src/new.ts', 'const lamp = 3;\n');
  const first = await pushed((push) => push.type === 'changed' && push.folders.includes('src'));
  expect(first).toEqual({ type: 'changed', folders: ['src'], files: [] });
  expect(await names('src')).toEqual(['deep', 'lamp.ts', 'new.ts']);
  appendFileSync(at('src/lamp.ts'), '// more\n');
  await pushed((push) => push.type === 'changed' && push.files.includes('src/lamp.ts'));
  page.received.length = 0;
  rmSync(at('src/new.ts'));
  await pushed((push) => push.type === 'changed' && push.folders.includes('src'));
  expect(await names('src')).toEqual(['deep', 'lamp.ts']);
});

test('W2 shows git marks, also for folders, and updates them', async () => {
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'one');
  git('add', 'README.md', '.gitignore');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-m', 'two');
  const marks = async () =>
    (await files<'list'>({ do: 'list', folder: '' })).entries.map(
      ({ name, mark }) => `${mark ?? '-'} ${name}`,
    );
  await expect.poll(marks).toEqual(expect.arrayContaining(['! built', '? src', '- README.md']));
  appendFileSync(at('README.md'), 'more\n');
  await expect.poll(marks).toEqual(expect.arrayContaining(['M README.md']));
});

test('W2 watches an ignored folder while it is open', async () => {
  await files({ do: 'list', folder: 'built' });
  write('built/fresh.js');
  await pushed((push) => push.type === 'changed' && push.folders.includes('built'));
  expect(await names('built')).toEqual(['fresh.js', 'out.js']);
  rmSync(at('built/fresh.js'));
});

test('W25 quick open finds files by a few letters, also new ones, and not deleted ones', async () => {
  const find = async (query: string) =>
    (await files<'find'>({ do: 'find', query })).files.map(({ path }) => path);
  await files({ do: 'list', folder: '' });
  expect(await find('glw')).toEqual(['src/deep/glow-worm.ts']);
  expect(await find('out')).toEqual([]);
  await files({ do: 'create', path: 'src/very/glow-lamp.ts', kind: 'file' });
  await expect.poll(() => find('glowlamp')).toEqual(['src/very/glow-lamp.ts']);
  renameSync(at('src/very'), at('src/quite'));
  await expect.poll(() => find('glowlamp')).toEqual(['src/quite/glow-lamp.ts']);
  rmSync(at('src/quite'), { recursive: true });
  await expect.poll(() => find('glowlamp')).toEqual([]);
});

test('W20 create, rename, delete and restore never overwrite', async () => {
  await files({ do: 'create', path: 'notes/today.md', kind: 'file' });
  await files({ do: 'rename', from: 'notes/today.md', to: 'notes/kept/tomorrow.md' });
  expect(existsSync(at('notes/kept/tomorrow.md'))).toBe(true);
  expect(await refused({ do: 'rename', from: 'notes/kept/tomorrow.md', to: 'README.md' })).toBe(
    'FILE_EXISTS',
  );
  const { trash } = await files<'delete'>({ do: 'delete', path: 'notes' });
  expect(existsSync(at('notes'))).toBe(false);
  const { entries } = await files<'trash'>({ do: 'trash' });
  expect(entries[0]).toMatchObject({ id: trash, path: 'notes', kind: 'folder', why: 'deleted' });
  expect(await files<'restore'>({ do: 'restore', trash })).toEqual({ path: 'notes' });
  expect(existsSync(at('notes/kept/tomorrow.md'))).toBe(true);
  expect(await refused({ do: 'restore', trash })).toBe('TRASH_GONE');
  expect(await refused({ do: 'delete', path: '' })).toBe('PATH_INVALID');
  rmSync(at('notes'), { recursive: true });
});

test('W26 search streams hits, skips ignored files, and takes text literally', async () => {
  const outcome = await files<'search'>({
    do: 'search',
    search: 's1',
    query: { text: 'lamp', isCaseSensitive: true },
  });
  const hits = page.received.flatMap((received) => {
    const push =
      'feed' in received && 'push' in received.feed ? filesPushSchema.parse(received.feed.push) : undefined;
    return push?.type === 'found' ? push.hits : [];
  });
  expect(hits.map(({ path, line, at: marks }) => [path, line, marks]).sort()).toEqual([
    ['src/deep/glow-worm.ts', 1, [[14, 18]]],
    ['src/lamp.ts', 1, [[13, 17]]],
  ]);
  expect(outcome).toEqual({ hits: 2, files: 2, isCut: false, isStopped: false });
  // Neither an option nor a pattern, only text.
  for (const text of ['--version', '-e', '$(touch pwned)', '.*', '(']) {
    expect(await files<'search'>({ do: 'search', search: 's2', query: { text } })).toMatchObject({ hits: 0 });
  }
  expect(await refused({ do: 'search', search: 's3', query: { text: '(', isRegex: true } })).toBe(
    'SEARCH_INVALID',
  );
  expect(await refused({ do: 'search', search: 's4', query: { text: 'x', folder: '../..' } })).toBe(
    'PATH_OUTSIDE',
  );
});

const http = (path: string, init: RequestInit = {}) => visit.fetch(`/api/file/${path}`, init);
const where = (path: string, more: Record<string, string> = {}) =>
  `${new URLSearchParams({ project, path, ...more })}`;
const put = (path: string, text: string, expected?: string) =>
  http(`text?${where(path, expected === undefined ? {} : { expected })}`, {
    method: 'PUT',
    body: text,
    headers: { 'content-type': 'application/vnd.tugdeck.text' },
  });

test('W23 a text is read with its hash and saved only over that version', async () => {
  write('poem.txt', 'one\r\ntwo');
  const read = fileTextSchema.parse(await (await http(`text?${where('poem.txt')}`)).json());
  expect(read).toMatchObject({ kind: 'text', text: 'one\r\ntwo', isWritable: true });
  const hash = 'hash' in read ? (read.hash ?? '') : '';
  expect(await (await http(`text?${where('poem.txt', { known: hash })}`)).json()).toEqual({
    kind: 'same',
    hash,
  });
  const saved = await put('poem.txt', 'one\r\ntwo\r\nthree', hash);
  expect([saved.status, saveAnswerSchema.parse(await saved.json()).kind]).toEqual([200, 'saved']);
  const late = await put('poem.txt', 'mine', hash);
  expect([late.status, saveAnswerSchema.parse(await late.json())]).toEqual([
    409,
    { kind: 'changed', theirs: { text: 'one\r\ntwo\r\nthree', hash: expect.any(String) } },
  ]);
  rmSync(at('poem.txt'));
  expect(await (await put('poem.txt', 'mine', hash)).json()).toEqual({ kind: 'changed' });
  expect(existsSync(at('poem.txt'))).toBe(false);
  expect((await put('poem.txt', 'again')).status).toBe(200);
  expect((await put('poem.txt', 'again')).status).toBe(409);
  expect(readFileSync(at('poem.txt'), 'utf8')).toBe('again');
  // An empty text is a text.
  expect((await put('empty.txt', '')).status).toBe(200);
  expect(readFileSync(at('empty.txt'), 'utf8')).toBe('');
  // Another site's form cannot send this type, and requests without our origin are refused.
  expect((await http(`text?${where('x.txt')}`, { method: 'PUT', body: 'x' })).status).toBe(400);
  const otherOrigin = await http(`text?${where('x.txt')}`, {
    method: 'PUT',
    body: 'x',
    headers: { 'content-type': 'application/vnd.tugdeck.text', origin: 'http://evil.test' },
  });
  expect(otherOrigin.status).toBe(403);
});

test('W24 binary files and previews are recognized', async () => {
  writeFileSync(at('dot.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]));
  writeFileSync(at('latin.txt'), Buffer.from([0x67, 0xfc, 0x6e]));
  const kindOf = async (path: string) => (await http(`text?${where(path)}`)).json();
  expect(await kindOf('dot.png')).toMatchObject({ kind: 'binary', preview: 'image' });
  expect(await kindOf('latin.txt')).toEqual({ kind: 'binary', size: 3, hash: expect.any(String) });
});

test('X34 raw bytes have our content type, are sandboxed, and are never a page', async () => {
  write('evil.html', '<script>alert(1)</script>');
  write('evil.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  write('page.pdf', '%PDF-1.4');
  const head = async (path: string, more = {}) => (await http(`raw?${where(path, more)}`)).headers;
  const html = await head('evil.html');
  expect(html.get('content-type')).toBe('application/octet-stream');
  expect(html.get('content-disposition')).toBe("attachment; filename*=UTF-8''evil.html");
  const svg = await head('evil.svg');
  expect([svg.get('content-type'), svg.get('x-content-type-options')]).toEqual(['image/svg+xml', 'nosniff']);
  expect(svg.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect((await head('page.pdf')).get('content-type')).toBe('application/pdf');
  expect((await head('evil.svg', { keep: '1' })).get('content-type')).toBe('application/octet-stream');
  symlinkSync('/etc/hostname', at('leak.png'));
  const leak = await http(`raw?${where('leak.png')}`);
  expect([leak.status, ((await leak.json()) as { code: string }).code]).toEqual([403, 'PATH_OUTSIDE']);
  const stranger = await fetchUrl(`${server.origin}/api/file/raw?${where('evil.svg')}`);
  expect(stranger.status).toBe(401);
});

test('W20 X2 a dropped file is stored completely, never overwrites, and has a size limit', async () => {
  const upload = (path: string, body: BodyInit) =>
    http(`upload?${where(path)}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/vnd.tugdeck.file' },
    });
  const bytes = new Uint8Array(50_000).map((_, index) => index % 256);
  expect((await upload('src/drop.bin', bytes)).status).toBe(201);
  expect(readFileSync(at('src/drop.bin')).equals(bytes)).toBe(true);
  expect((await upload('src/drop.bin', 'x')).status).toBe(409);
  expect((await upload('../drop.bin', 'x')).status).toBe(403);
  expect((await upload('src/big.bin', new Uint8Array(200_000))).status).toBe(413);
  expect((await names('src')).sort()).toEqual(['deep', 'drop.bin', 'lamp.ts']);
  rmSync(at('src/drop.bin'));
});
