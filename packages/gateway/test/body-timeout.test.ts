import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limitBodyTime } from '../src/transport/body-timeout.ts';

const STRETCH = 30_000;
let server: Server;
const sockets: Socket[] = [];
const requests: IncomingMessage[] = [];
/** Bytes of bodies that were read. */
let came: number;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  came = 0;
  requests.length = 0;
  server = createServer((request: IncomingMessage, response) => {
    requests.push(request);
    if (request.url?.startsWith('/proven')) bodies.authenticated(request);
    if (request.url?.endsWith('/unread')) return;
    request.on('data', (part: Buffer) => (came += part.length));
    request.on('end', () => response.end('whole'));
  });
  const bodies = limitBodyTime(server, STRETCH);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

async function begin(path: string, length = 1_000): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const requested = once(server, 'request');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
  await requested;
  return socket;
}

async function more(socket: Socket, bytes: number): Promise<void> {
  const wanted = came + bytes;
  socket.write(Buffer.alloc(bytes));
  await vi.waitUntil(() => came === wanted, { timeout: 30_000 });
}

/** A promise created after the event would wait forever. */
const closed = (socket: Socket) => vi.waitUntil(() => socket.closed, { timeout: 30_000 });

describe('request body timeout', () => {
  test('X2 a signed-in request continues as long as bytes arrive', async () => {
    const slow = await begin('/proven');
    for (let part = 0; part < 10; part++) {
      await more(slow, 50);
      vi.advanceTimersByTime(STRETCH);
    }
    await more(slow, 500);
    const [answer] = await once(slow, 'data');
    expect(String(answer)).toContain('whole');
    // The connection stays open, and the next body is judged by itself.
    vi.advanceTimersByTime(3 * STRETCH);
    expect(slow.closed).toBe(false);
    const requested = once(server, 'request');
    slow.write('POST /proven HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n');
    await requested;
    vi.advanceTimersByTime(STRETCH);
    await closed(slow);
  });

  test('X2 an unauthenticated request has one interval, however many bytes arrive', async () => {
    const slow = await begin('/');
    await more(slow, 999);
    vi.advanceTimersByTime(STRETCH - 1);
    expect(slow.closed).toBe(false);
    vi.advanceTimersByTime(1);
    await closed(slow);
  });

  test('X2 a complete body, or one that we do not read yet, does not time out', async () => {
    const whole = await begin('/unread', 10);
    whole.write(Buffer.alloc(10));
    const large = await begin('/proven/unread', 10_000_000);
    large.write(Buffer.alloc(1_000_000));
    const [first, second] = requests;
    await vi.waitUntil(() => first?.complete && (second?.readableLength ?? 0) >= 16_384, { timeout: 30_000 });
    // Bytes received until now do not count.
    for (let stretch = 0; stretch < 4; stretch++) vi.advanceTimersByTime(STRETCH);
    expect([first?.socket.destroyed, second?.socket.destroyed]).toEqual([false, false]);
  });
});
