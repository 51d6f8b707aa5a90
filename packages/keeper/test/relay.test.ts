/** The relay with real sockets: idle connections, and a server socket that is no longer ours. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RELAY_ACK } from '@tugdeck/local/keeper-link';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRelay } from '../src/relay.ts';

const MAX_IDLE = 10;
const MAX_CONNECTIONS = 40;
const LARGE = Buffer.alloc(16_000_000, 'x');

let directory: string;
let served: string | undefined;
/** The server accepts nobody. */
let isStuck: boolean;
let port: number;
const servers: Server[] = [];
const held = new Set<Socket>();
/** The keeper's side of all connections so far. */
const clients: Socket[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tugdeck-relay-'));
  served = join(directory, 'h.sock');
  isStuck = false;
  // Answers `small` and keeps the connection; anything else with more than fits in the buffers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    held.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (isStuck) return;
      socket.write(RELAY_ACK);
      socket.on('data', (data: Buffer) => {
        if (data.toString() === 'small') socket.write('answer');
        else socket.write(LARGE);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(served, resolve));
  const relay = createRelay({
    target: () => served,
    serverDown: (client) => client.end('absent'),
    maxConnections: MAX_CONNECTIONS,
    maxIdle: MAX_IDLE,
    silentMs: 600_000,
  });
  const door = createServer({ allowHalfOpen: true }, (client) => {
    clients.push(client);
    relay(client);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  port = (door.address() as AddressInfo).port;
  servers.push(server, door);
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of [...held, ...clients.splice(0)]) socket.destroy();
  held.clear();
  rmSync(directory, { recursive: true });
});

function come(): Socket {
  const socket = connect(port, '127.0.0.1');
  held.add(socket);
  socket.on('error', () => undefined);
  return socket;
}

function responseOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (data: Buffer) => resolve(data.toString()));
    socket.once('close', () => reject(new Error('closed without an answer')));
    socket.write('small');
  });
}

describe('X2 idle connections', () => {
  test('X2 of too many silent ones the oldest are closed; active ones stay', async () => {
    const first = come();
    expect(await responseOf(first)).toBe('answer');
    const silent = Array.from({ length: 4 * MAX_IDLE }, () => come().resume());
    await expect
      .poll(() => silent.filter(({ closed }) => closed).length)
      .toBeGreaterThanOrEqual(3 * MAX_IDLE);
    expect(await responseOf(come())).toBe('answer');
    expect(await responseOf(first)).toBe('answer');
  });

  test('X2 of too many that do not read their answer the oldest are closed', async () => {
    const deaf = Array.from({ length: 3 * MAX_IDLE }, () => {
      const socket = come().pause();
      socket.write('much');
      return socket;
    });
    const open = () => clients.filter(({ destroyed }) => !destroyed).length;
    await expect.poll(() => [clients.length, open()]).toEqual([3 * MAX_IDLE, MAX_IDLE]);
    expect(await responseOf(come())).toBe('answer');
    for (const socket of deaf) socket.destroy();
  });

  test('X2 of too many that the server does not accept the oldest are closed; accepted ones stay', async () => {
    const first = come();
    expect(await responseOf(first)).toBe('answer');
    isStuck = true;
    const waiting = Array.from({ length: 4 * MAX_IDLE }, () => {
      const socket = come().resume();
      socket.write('small');
      return socket;
    });
    const closed = () => waiting.filter((socket) => socket.closed).length;
    await expect.poll(closed).toBe(3 * MAX_IDLE);
    expect(await responseOf(first)).toBe('answer');
    isStuck = false;
    expect(await responseOf(come())).toBe('answer');
  });

  test('X2 at the limit an idle connection is closed, never an active one', async () => {
    const busy: Socket[] = [];
    while (busy.length < MAX_CONNECTIONS - 1) {
      const socket = come();
      expect(await responseOf(socket)).toBe('answer');
      busy.push(socket);
    }
    const idle = come().resume();
    await expect.poll(() => clients.length).toBe(MAX_CONNECTIONS);
    expect(await responseOf(come())).toBe('answer');
    await expect.poll(() => idle.closed).toBe(true);
    await expect(responseOf(come())).rejects.toThrow('closed');
    for (const socket of busy) expect(await responseOf(socket)).toBe('answer');
  });
});

test('X28 X9 a server socket that others can reach counts as missing, and the browser gets the offline page', async () => {
  chmodSync(directory, 0o755);
  expect(await responseOf(come())).toBe('absent');
});
