import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { decodeFrame, encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { Visit } from '@tugdeck/testkit/visit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Deck, entries, openDeck, rested, send } from './deck.ts';

let deck: Deck;
let visit: Visit;

beforeAll(async () => {
  deck = await openDeck();
  visit = await Visit.enter((await deck.run('url')).stdout.trim());
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function get(path: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request({ host: '127.0.0.1', port: deck.port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The status an upgrade is refused with, or 101. */
function upgrade(headers: Record<string, string>, query = visit.opening().query): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${deck.port}/ws?${query}`, { headers });
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('error', (error) => reject(error));
  });
}

describe('X1 nobody else gets in', () => {
  test('X22 with a sign-in, own Host and own Origin: in', async () => {
    expect((await get('/')).status).toBe(200);
    expect((await get('/api/me', await visit.proof('/api/me'))).status).toBe(200);
    expect(await upgrade({ origin: deck.origin })).toBe(101);
  });

  test('X25 without a proof, or with a wrong one: refused, for files and sockets', async () => {
    const wrong = { authorization: `Tugdeck ${visit.signIn}.${Date.now()}.${'a'.repeat(43)}` };
    for (const headers of [{}, wrong] as Record<string, string>[]) {
      expect((await get('/api/me', headers)).status).toBe(401);
      expect((await get('/api/blob/x/y', headers)).status).toBe(401);
      expect(await upgrade({ ...headers, origin: deck.origin }, '')).toBe(401);
    }
  });

  test.each([
    ['another name', 'evil.example'],
    ['another name with our port', 'evil.example:7700'],
    ['a trailing dot', '127.0.0.1.:7700'],
    ['no port', '127.0.0.1'],
    ['localhost', 'localhost:7700'],
  ])('X22 with a foreign Host (%s): refused, for pages and sockets', async (_name, host) => {
    const named = host.replace('7700', String(deck.port));
    expect((await get('/', { host: named })).status).toBe(403);
    expect(await upgrade({ host: named, origin: deck.origin })).toBe(403);
  });

  test.each([['https://evil.example'], ['null'], ['http://127.0.0.1:1']])(
    'X22 with a foreign Origin (%s): refused, for sockets and requests that change something',
    async (origin) => {
      expect(await upgrade({ origin })).toBe(403);
      expect((await get('/api/me', { ...(await visit.proof('/api/me')), origin })).status).toBe(403);
    },
  );

  test('X23 a sign-in link works once', async () => {
    const url = (await deck.run('url')).stdout.trim();
    await Visit.enter(url);
    await expect(Visit.enter(url)).rejects.toThrow('did not sign in');
    await expect(Visit.enter(`${deck.origin}/in/made-up`)).rejects.toThrow('did not sign in');
  });
});

/** A signed-in socket that speaks frames by hand. */
async function rawSocket() {
  const socket = await visit.socket();
  const received: { feed: number; channel: number; message: { type?: string; code?: string } }[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    const frame = decodeFrame(data);
    if (!frame) return;
    const message = JSON.parse(new TextDecoder().decode(frame.payload));
    received.push({
      feed: frame.feed,
      channel: frame.channel,
      message: Array.isArray(message) ? message[0] : message,
    });
    for (const check of [...waiting]) check();
  });
  return {
    socket,
    send: (message: unknown) =>
      socket.send(encodeFrame(FEED.deck, 0, new TextEncoder().encode(JSON.stringify(message)))),
    async next(type: string): Promise<{ type?: string; code?: string }> {
      for (;;) {
        const at = received.findIndex(({ message }) => message.type === type);
        if (at >= 0) return received.splice(at, 1)[0]?.message ?? {};
        await new Promise<void>((resolve) => {
          const check = () => {
            waiting.delete(check);
            resolve();
          };
          waiting.add(check);
        });
      }
    },
  };
}

test('S2 malformed, oversized and unknown frames: a coded error each, the connection and other sessions live on', async () => {
  const { page } = await deck.page();
  await send(page, 'SCN:hold while others misbehave');
  await deck.fake.reached('mid');
  const raw = await rawSocket();
  const text = (value: string) => new TextEncoder().encode(value);
  const hostile: [string, Uint8Array, string][] = [
    ['no head', text('abc'), 'INVALID_MESSAGE'],
    ['no JSON', encodeFrame(FEED.deck, 0, text('{"type":')), 'INVALID_MESSAGE'],
    [
      'unknown message',
      encodeFrame(FEED.deck, 0, text('{"type":"format.disk","id":"1"}')),
      'INVALID_MESSAGE',
    ],
    ['unknown feed', encodeFrame(0x7f as typeof FEED.deck, 0, text('{}')), 'INVALID_MESSAGE'],
    ['closed channel', encodeFrame(FEED.conversationIn, 77, text('{"type":"follow"}')), 'CHANNEL_NOT_OPEN'],
    ['oversized', encodeFrame(FEED.deck, 0, new Uint8Array(1024 * 1024 + 1)), 'PAYLOAD_TOO_LARGE'],
    ['prototype', encodeFrame(FEED.deck, 0, text('{"__proto__":{"type":"hello"}}')), 'INVALID_MESSAGE'],
  ];
  for (const [name, bytes, code] of hostile) {
    raw.socket.send(bytes);
    expect([name, (await raw.next('error')).code]).toEqual([name, code]);
  }
  raw.send({ type: 'hello', id: '1', version: PAGE_VERSION, build: 'by hand' });
  expect((await raw.next('welcome')).type).toBe('welcome');
  raw.socket.close();
  deck.fake.release('mid');
  await entries(page, 'text', 'complete').getByText('The second half.').waitFor();
  await rested(page);
});
