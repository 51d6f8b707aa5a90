import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Listener } from '@tugdeck/local/listening-ports';
import type { CodedError } from '@tugdeck/protocol/wire/errors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holderOf } from '../src/preview/port-holders.ts';
import { servePreviews } from '../src/preview/preview-area.ts';
import type { PreviewTarget } from '../src/preview-access.ts';

let directory: string;
let server: Server;
let port: number;
let opened: PreviewTarget[];
let ended: number;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tugdeck-preview-'));
  opened = [];
  ended = 0;
  server = createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true });
});

const context = (at = directory) => ({
  directory: at,
  ledger: { read: () => [] },
  isOfPlace: () => true,
});
const listener = (process: Listener['process']): Listener => ({
  port: 1,
  address: '127.0.0.1',
  key: '7',
  process,
});

/** The area of a project at `at`; our own process, which listens, runs in the repository. */
function openArea(at: string) {
  const pushes: unknown[] = [];
  const area = servePreviews(
    {
      projects: { place: () => ({ directory: at, environment: {}, project: {} }) as never },
      sessions: { find: () => undefined },
      ledger: { read: () => [] },
    },
    {
      isOffered: () => true,
      ownPorts: () => [7700],
      open(target) {
        opened.push(target);
        return { url: 'http://x/in', origin: 'http://x', end: () => ended++ };
      },
    },
  );
  const channel = area.open(
    { project: 'p' },
    { push: (message) => pushes.push(message), bytes: () => undefined, signIn: 'me' },
  );
  return { channel, pushes };
}

describe('W70 the owner of a port', () => {
  const found = { pid: 1, name: 'node', mark: undefined };

  test('W70 a process in the directory is the project’s, one beside it is not', () => {
    expect(holderOf(listener({ ...found, directory: join(directory, 'web') }), context()).isOwn).toBe(true);
    expect(holderOf(listener({ ...found, directory: `${directory}-other` }), context())).toEqual({
      key: '1.7',
      pid: 1,
      name: 'node',
      directory: `${directory}-other`,
      isOwn: false,
    });
    expect(holderOf(listener(undefined), context())).toEqual({ key: '7', isOwn: false });
  });

  test('B21 W70 a program of the checkout or of another workspace on a workspace’s port is not its own', () => {
    const workspace = join(realpathSync(directory), 'worktrees/search');
    mkdirSync(workspace, { recursive: true });
    const isOwn = (held: string) =>
      holderOf(listener({ ...found, directory: held }), context(workspace)).isOwn;
    expect(isOwn(join(workspace, 'web'))).toBe(true);
    for (const other of [directory, `${workspace}-2`, join(workspace, '..'), '/'])
      expect(isOwn(other)).toBe(false);
  });

  test('W70 a process that a session there started is the project’s', () => {
    const mark = 'm';
    const record = {
      id: 'agent-s',
      purpose: 'agent',
      mark,
      session: 's',
      identity: { pid: 1, started: '1' },
    } as const;
    const marked = listener({ ...found, directory: '/', mark });
    const ledger = { read: () => [record] };
    expect(holderOf(marked, { ...context(), ledger }).isOwn).toBe(true);
    expect(holderOf(marked, { ...context(), ledger, isOfPlace: () => false }).isOwn).toBe(false);
    expect(
      holderOf(listener({ ...found, directory: '/', mark: 'other' }), { ...context(), ledger }).isOwn,
    ).toBe(false);
  });
});

describe('W7 the preview area', () => {
  const open = (channel: ReturnType<typeof openArea>['channel'], address: string, accepted?: string) =>
    channel.call({ type: 'open', address, ...(accepted === undefined ? {} : { accepted }) });

  test('W7 opens a server of the project, and connects to it', async () => {
    const { channel } = openArea(process.cwd());
    expect(await open(channel, `localhost:${port}/a`)).toMatchObject({ type: 'open', origin: 'http://x' });
    expect(opened[0]).toMatchObject({ signIn: 'me', origin: `http://localhost:${port}`, path: '/a' });
    const socket = await opened[0]?.connect();
    socket?.write('GET / HTTP/1.0\r\n\r\n');
    const chunks = await socket?.toArray();
    expect(Buffer.concat(chunks ?? []).toString()).toContain('hello');
    channel.close();
    expect(ended).toBe(1);
  });

  test('W70 names another program, and shows it once it is accepted', async () => {
    const { channel } = openArea(directory);
    const held = await open(channel, `localhost:${port}`);
    expect(held).toMatchObject({ type: 'held', port, holder: { pid: process.pid, isOwn: false } });
    expect(opened).toEqual([]);
    const { holder } = held as { holder: { key: string } };
    expect(await open(channel, `localhost:${port}`, 'wrong')).toMatchObject({ type: 'held' });
    expect(await open(channel, `localhost:${port}`, holder.key)).toMatchObject({ type: 'open' });
  });

  test.for(['http://evil.example/', '127.0.0.1:7700', 'https://localhost:1'])(
    'W7 refuses %s',
    async (address) => {
      const refusal = await open(openArea(process.cwd()).channel, address).catch(
        (error: CodedError) => error.code,
      );
      expect(refusal).toBe('INVALID_MESSAGE');
    },
  );

  test('W7 says that nothing listens', async () => {
    await new Promise((resolve) => server.close(resolve));
    const refusal = await open(openArea(process.cwd()).channel, `localhost:${port}`).catch(
      (error: CodedError) => error.code,
    );
    expect(refusal).toBe('NOT_FOUND');
  });
});
