// The bundles: one file that runs by itself, programs that outlive an upgrade in their own folders, and errors
// that would otherwise occur on a user's machine.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { build, pruneForPackage } from '../build.mjs';
import { checkPageModules } from '../checks/page-modules.mjs';
import { CACHE } from '../parts/repository.mjs';
import { isBuilt } from '../parts/sources.mjs';
import { plant } from './temporary-tree.mjs';

vi.spyOn(console, 'error').mockImplementation(() => undefined);

const CLI = 'packages/cli/src/main.ts';
const HOST = 'packages/host/src/main.ts';

/** Connects to itself over HTTP and WebSocket with the CommonJS packages that the server uses. */
const SELF_TALK = `
import fastify from 'fastify';
import { WebSocket, WebSocketServer } from 'ws';
type Body = { a: number };
const app = fastify();
const body = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
app.post('/add', { schema: { body } }, async (request) => ({ sum: (request.body as Body).a + 1 }));
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const sockets = new WebSocketServer({ server: app.server });
sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(\`echo \${data}\`)));
const headers = { 'content-type': 'application/json' };
const good = await fetch(\`\${url}/add\`, { method: 'POST', body: '{"a":1}', headers });
const bad = await fetch(\`\${url}/add\`, { method: 'POST', body: '{}', headers });
const { default: Database } = await import('libsql');
const row = new Database(':memory:').prepare('select 7 as n').get();
const socket = new WebSocket(url.replace('http', 'ws'));
socket.on('open', () => socket.send('hello'));
socket.on('message', async (data) => {
  console.log(JSON.stringify([await good.json(), bad.status, String(data), row.n]));
  socket.close();
  sockets.close();
  await app.close();
});
`;

/** @param {Record<string, string>} files */
const tree = (files) =>
  plant(
    { 'packages/cli/package.json': '{}', 'packages/web/package.json': '{}', ...files },
    path.join(CACHE, 'trees'),
  );
const programsOf = (/** @type {string} */ root) =>
  JSON.parse(readFileSync(path.join(root, 'dist/programs.json'), 'utf8'));

test('fastify, ws and libsql work from one file in an empty directory', async () => {
  const root = tree({ [CLI]: SELF_TALK });
  expect(await build(root)).toBe(true);
  const file = path.join(root, 'dist/tugdeck.mjs');
  expect(readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env -S node --single-threaded-gc\n/);
  expect(statSync(file).mode & 0o111).not.toBe(0);
  const empty = path.join(root, 'empty');
  mkdirSync(empty);
  const output = execFileSync(process.execPath, [file], {
    cwd: empty,
    env: { HOME: empty },
    encoding: 'utf8',
  });
  expect(JSON.parse(output)).toEqual([{ sum: 2 }, 400, 'echo hello', 7]);
});

describe('a host outlives upgrades', () => {
  test('it needs only its own file, named by hash; older ones stay, except in a package', async () => {
    const root = tree({
      [CLI]: '',
      [HOST]: "import { z } from 'zod';\nconsole.log(z.string().parse('one'));\n",
    });
    await build(root);
    const first = programsOf(root);
    expect(first.host).toMatch(/^host\/[0-9a-f]{12}\/host\.mjs$/);
    const alone = path.join(plant({}), 'host.mjs');
    writeFileSync(alone, readFileSync(path.join(root, 'dist', first.host)));
    expect(execFileSync(process.execPath, [alone], { encoding: 'utf8' })).toBe('one\n');

    writeFileSync(path.join(root, HOST), "console.log('two');\n");
    await build(root);
    const second = programsOf(root);
    expect(second.host).not.toBe(first.host);
    expect(second.build).not.toBe(first.build);
    expect(existsSync(path.join(root, 'dist', first.host))).toBe(true);
    pruneForPackage(path.join(root, 'dist'));
    expect(existsSync(path.join(root, 'dist', first.host))).toBe(false);
    expect(existsSync(path.join(root, 'dist', second.host))).toBe(true);
  });

  test('the same sources in another folder give the same name', async () => {
    const files = { [CLI]: '', [HOST]: "import { z } from 'zod';\nconsole.log(z.string());\n" };
    const roots = [tree(files), tree(files)];
    for (const root of roots) await build(root);
    const [one, two] = roots.map(programsOf);
    expect(one).toEqual(two);
  });

  test.each([
    ["import 'libsql';", /must not need libsql/],
    ['await import(process.argv[2] as string);', /no import\(\) at run time/],
    ["import 'not-installed-anywhere';", /not-installed-anywhere/],
  ])('%s is refused', async (text, message) => {
    await expect(build(tree({ [CLI]: '', [HOST]: text }))).rejects.toThrow(message);
  });
});

describe('the page', () => {
  const page = {
    [CLI]: '',
    'packages/web/index.html':
      '<!doctype html><p id="p"></p><script type="module" src="/src/main.ts"></script>',
    'packages/web/src/main.ts': "import { a } from '../../machine/src/a.ts';\nconsole.log(a);\n",
    'packages/web/src/worker/worker.ts': "import { b } from '../../../machine/src/b.ts';\nconsole.log(b);\n",
    'packages/machine/src/a.ts': "export const a: string = 'from the server';\n",
    'packages/machine/src/b.ts': "export const b: string = 'also';\n",
  };

  test('its modules are listed outside the served files, and server code in it is found', async () => {
    const root = tree(page);
    await build(root);
    expect(programsOf(root).web).toBe('web');
    expect(existsSync(path.join(root, 'dist/web/index.html'))).toBe(true);
    expect(checkPageModules(root).problems).toEqual([
      'packages/machine/src/a.ts is in the page',
      'packages/machine/src/b.ts is in the page',
    ]);
  });

  test('a second build replaces the first', async () => {
    const root = tree(page);
    await build(root);
    writeFileSync(path.join(root, 'dist/web/left-over.js'), '');
    await build(root);
    expect(existsSync(path.join(root, 'dist/web/left-over.js'))).toBe(false);
    expect(existsSync(path.join(root, 'dist/web-old'))).toBe(false);
  });
});

test('a build is current until a source is added, changed, renamed or removed', async () => {
  const root = tree({ [CLI]: '', 'packages/cli/src/a.ts': '', 'packages/cli/test/a.test.ts': '' });
  const dist = path.join(root, 'dist');
  expect(isBuilt(root, dist)).toBe(false);
  await build(root);
  expect(isBuilt(root, dist)).toBe(true);
  writeFileSync(path.join(root, 'packages/cli/test/a.test.ts'), 'tests are not sources');
  expect(isBuilt(root, dist)).toBe(true);
  const changes = [
    () => writeFileSync(path.join(root, 'packages/cli/src/b.ts'), ''),
    () => writeFileSync(path.join(root, 'packages/cli/src/a.ts'), 'export {};'),
    () => renameSync(path.join(root, 'packages/cli/src/b.ts'), path.join(root, 'packages/cli/src/c.ts')),
  ];
  for (const change of changes) {
    change();
    expect(isBuilt(root, dist)).toBe(false);
    await build(root);
    expect(isBuilt(root, dist)).toBe(true);
  }
});
