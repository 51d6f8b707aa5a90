/** Issue 5, line 4: codes that no other test provokes, through the real server, host link and git; the last test keeps count of all. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { git } from '@tugdeck/local/git';
import { searchSchema } from '@tugdeck/protocol/search/search';
import { ERRORS } from '@tugdeck/protocol/wire/errors';
import { HOST_LINK_OLDEST } from '@tugdeck/protocol/wire/version';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askServer, findServer } from '../src/control/control-client.ts';
import { connectHost } from '../src/hosts/host-connection.ts';
import type { RunningServer } from '../src/main.ts';
import { agentTerminalLaunch } from '../src/terminals/agent-terminal.ts';
import { pageWithSession, type TestPage, type TestPlace, testPlace } from './test-server.ts';

let place: TestPlace;
let server: RunningServer;
let page: TestPage;
let session: string;
let base: string;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tugdeck-codes-'));
  place = testPlace();
  const agents = {
    tester: { command: process.execPath, protocol: 'acp' as const },
    gemini: { command: process.execPath },
  };
  server = await place.start({ config: { port: 0, agent: 'tester', agents } });
  ({ page, session } = await pageWithSession(place, server));
});
afterAll(async () => {
  await place.clear();
  rmSync(base, { recursive: true, force: true });
});

test('S2 PROJECT_UNTRUSTED: an agent that cannot leave out what a project brings does not start in it', async () => {
  const path = join(base, 'brought');
  mkdirSync(join(path, '.gemini'), { recursive: true });
  writeFileSync(join(path, '.gemini', 'settings.json'), '{"hooks":{"Start":[{"command":"./x"}]}}');
  await page.request({ type: 'project.add', path });
  const { deck } = await page.welcome();
  const project = deck.projects.find((one) => one.path.endsWith('brought'))?.id;
  const create = { type: 'session.create', session: crypto.randomUUID(), project, agent: 'gemini' };
  expect(await page.request(create)).toMatchObject({
    type: 'error',
    code: 'PROJECT_UNTRUSTED',
    hint: expect.stringContaining('trust it'),
  });
});

test('S2 REVIEW_NO_TREE: there is nothing to compare with before the first message', async () => {
  await page.request({ type: 'feed.open', channel: 21, feed: 'review', about: { session } });
  const ask = page.ask('review', 21, { type: 'diff', scope: { since: 'session' }, path: 'a' });
  await expect(ask).rejects.toMatchObject({
    code: 'REVIEW_NO_TREE',
    message: 'Nothing was asked of this session yet.',
  });
});

test.runIf(process.platform === 'linux')(
  'S2 FILE_DENIED: what the system does not allow is said',
  async () => {
    await page.request({ type: 'project.add', path: '/sys/kernel' });
    const { deck } = await page.welcome();
    const project = deck.projects.find((one) => one.path === '/sys/kernel')?.id;
    await page.request({ type: 'feed.open', channel: 22, feed: 'files', about: { project } });
    const ask = page.ask('files', 22, { do: 'create', path: 'tugdeck-test', kind: 'file' });
    await expect(ask).rejects.toMatchObject({ code: 'FILE_DENIED', message: ERRORS.FILE_DENIED.text });
  },
);

test('S2 READER_UNAVAILABLE: without its reader a search says so', async () => {
  const found = findServer(dataDirectory(place.root).ledger);
  const search = searchSchema.parse({ query: 'lamp' });
  const asked = found && askServer(found, { type: 'search', search });
  await expect(asked).rejects.toMatchObject({ code: 'READER_UNAVAILABLE' });
});

test('S2 HOST_VERSION: a host that speaks another version is not talked to', async () => {
  const socket = join(base, 'host.sock');
  const host = createServer((client) => {
    client.on('error', () => client.destroy()).resume();
    // As a host refuses: see packages/host/src/link.ts.
    const { text: message } = ERRORS.HOST_VERSION;
    client.write(`${JSON.stringify({ type: 'error', code: 'HOST_VERSION', message })}\n`);
  });
  await new Promise<void>((resolve) => host.listen(socket, resolve));
  const nothing = () => undefined;
  const events = { said: nothing, unreadable: nothing, closed: nothing };
  const link = connectHost({ socket, secret: 'x', version: HOST_LINK_OLDEST }, events, 60_000);
  await expect(link).rejects.toMatchObject({ code: 'HOST_VERSION', message: ERRORS.HOST_VERSION.text });
  await new Promise((resolve) => host.close(resolve));
});

test('S2 GIT_MISSING and GIT_TIMEOUT: no git, and one that does not end', async () => {
  const call = { directory: base, args: ['status'] };
  await expect(git({ ...call, environment: { PATH: join(base, 'nothing') } })).rejects.toMatchObject({
    code: 'GIT_MISSING',
  });
  const slow = join(base, 'slow');
  mkdirSync(slow);
  writeFileSync(join(slow, 'git'), '#!/bin/sh\nexec /bin/sleep 600\n', { mode: 0o755 });
  await expect(git({ ...call, environment: { PATH: slow }, timeoutMs: 50 })).rejects.toMatchObject({
    code: 'GIT_TIMEOUT',
    message: expect.stringContaining('did not end'),
  });
});

test('S2 SESSION_BUSY: a session at work is not taken into a terminal', async () => {
  const agent = { name: 'claude', label: 'Agent', command: '/bin/true' };
  const sessions = {
    row: () => ({ summary: { agentSession: 'x', entries: 1, turn: 'running' } }),
    launch: () => ({ agent, directory: '/', environment: {} }),
  } as unknown as Parameters<typeof agentTerminalLaunch>[1];
  const release = () => Promise.reject(new Error('its host must not be ended'));
  await expect(agentTerminalLaunch('x', sessions, { release })).rejects.toMatchObject({
    code: 'SESSION_BUSY',
  });
});

test('S2 every code of the catalogue is provoked by some test', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const folders = [
    join(root, 'e2e'),
    ...readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'test')),
  ];
  const own = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('S2 every code')[0] ?? '';
  const texts = [own, ...folders.flatMap(testsBelow).map((file) => readFileSync(file, 'utf8'))].join('\n');
  const codes = Object.keys(ERRORS);
  expect(codes.filter((code) => !new RegExp(`(?<![A-Z_])${code}(?![A-Z_])`).test(texts))).toEqual([]);
});

function testsBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !/error(s-page|-codes)\.test\.ts$/.test(name))
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
