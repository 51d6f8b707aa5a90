/**
 * The proxy that shows a project's web server in a frame of the deck (W7), on a separate port. A request is forwarded
 * only for the host name of an open preview, with its cookie, and if the frame itself sent it; it reaches that one server
 * and nothing else.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { insertScript } from './insert-script.ts';
import {
  FRAME_COOKIE,
  nonceOf,
  type Origins,
  ownCookies,
  ownLocation,
  PREVIEW_COOKIE,
  requestHeaders,
  responseHeaders,
} from './preview-headers.ts';
import { previewPage } from './preview-page.ts';
import type { Preview, Previews } from './previews.ts';

export interface ProxyOptions {
  readonly previews: Previews;
  /** The deck's origin, which alone may frame a preview. */
  readonly deck: () => string;
  /** The script that runs in previews. */
  readonly script: () => Buffer | undefined;
}

const MAX_HEAD = 64 * 1024;
const HEADERS_MS = 30_000;
const KEEP_ALIVE_MS = 5_000;
const MAX_ADDRESS = 2_000;
const OWN = '/.tugdeck/';
const SIGN_IN = `${OWN}in/`;
const SCRIPT = `${OWN}frame.js`;

export function createProxy(options: ProxyOptions): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEAD,
    headersTimeout: HEADERS_MS,
    // Uploads and event streams of the app can take any time.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => undefined);
    answer(options, incoming, response)
      .catch((error: unknown) => {
        const { message, hint } = reportOf(error);
        sendPage(options, response, 502, message, hint ?? 'Reload the preview to try again.');
      })
      // The deck has no address while its port is lost.
      .catch(() => response.destroy());
  });
  server.on('upgrade', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    upgrade(options, incoming, client as Socket, head).catch(() => refuseUpgrade(client, 502));
  });
  return server;
}

async function answer(
  options: ProxyOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { previews } = options;
  const { host } = incoming.headers;
  const { url = '', method = 'GET' } = incoming;
  if (!previews.isHost(host) || !url.startsWith('/')) {
    sendPage(options, response, 421, 'Not a preview', 'Open it from Tugdeck.');
    return;
  }
  if (url.startsWith(SIGN_IN)) {
    signIn(options, incoming, response);
    return;
  }
  const preview = previews.find(host, ownCookies(incoming.headers.cookie));
  if (!preview || !isOwnRequest(incoming, preview)) {
    sendPage(
      options,
      response,
      preview ? 403 : 401,
      'This preview was closed',
      'Open it again from Tugdeck.',
    );
    return;
  }
  if (url.startsWith(OWN)) {
    sendScript(options, url, response);
    return;
  }
  const isDocument = isNavigation(incoming);
  const origins = originsOf(options, preview);
  const upstream = await connectFor(preview, incoming.socket);
  const outgoing = request({
    createConnection: () => upstream,
    method,
    path: url,
    headers: withBody(
      incoming,
      requestHeaders(incoming.rawHeaders, incoming.headers, origins, { isDocument }),
    ),
    setHost: false,
    maxHeaderSize: MAX_HEAD,
  });
  response.once('close', () => outgoing.destroy());
  const failed = new Promise<never>((_resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('response', (answered) => {
      try {
        forward(answered, { preview, origins, isDocument, options, response, method });
      } catch (error) {
        // A status or header that can't be sent.
        outgoing.destroy();
        reject(error);
      }
    });
  });
  incoming.pipe(outgoing);
  await Promise.race([failed, new Promise((resolve) => response.once('close', resolve))]).catch((error) => {
    if (response.headersSent) response.destroy();
    else throw error;
  });
}

interface Forwarding {
  readonly preview: Preview;
  readonly origins: Origins;
  readonly isDocument: boolean;
  readonly options: ProxyOptions;
  readonly response: ServerResponse;
  readonly method: string;
}

function forward(answered: IncomingMessage, forwarding: Forwarding): void {
  const { preview, origins, isDocument, options, response, method } = forwarding;
  const { statusCode = 502, headers, rawHeaders } = answered;
  const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
  if (isDocument && isRedirect && ownLocation(headers.location ?? '', origins) === undefined) {
    answered.resume();
    preview.target.redirected(resolved(headers.location ?? '', origins.target).slice(0, MAX_ADDRESS));
    sendPage(options, response, 200, 'Redirected to another address', 'Tugdeck shows it above the preview.');
    return;
  }
  const isHtml = /^text\/html\b/i.test(headers['content-type'] ?? '');
  const isPlain = [undefined, 'identity'].includes(headers['content-encoding']);
  const isChanged =
    isDocument && isHtml && isPlain && method !== 'HEAD' && ![204, 206, 304].includes(statusCode);
  response.writeHead(statusCode, responseHeaders(rawHeaders, headers.connection, origins, { isChanged }));
  answered.once('error', () => response.destroy());
  if (!isChanged) {
    answered.pipe(response);
    return;
  }
  const nonce = nonceOf(rawHeaders);
  const tag = `<script src="${SCRIPT}" data-deck="${origins.deck}"${nonce === undefined ? '' : ` nonce="${nonce}"`}></script>`;
  answered.pipe(insertScript(tag)).pipe(response);
}

/** WebSockets, which development servers use to reload the page. */
async function upgrade(
  options: ProxyOptions,
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
): Promise<void> {
  const { headers, url = '' } = incoming;
  const preview = options.previews.find(headers.host, ownCookies(headers.cookie));
  const isSocket = headers.upgrade?.toLowerCase() === 'websocket' && incoming.method === 'GET';
  if (
    !preview ||
    !isSocket ||
    headers.origin !== preview.origin ||
    !url.startsWith('/') ||
    url.startsWith(OWN)
  ) {
    refuseUpgrade(client, 403);
    return;
  }
  const origins = originsOf(options, preview);
  const upstream = await connectFor(preview, client);
  const outgoing = request({
    createConnection: () => upstream,
    path: url,
    headers: [
      ...requestHeaders(incoming.rawHeaders, headers, origins),
      ...['connection', 'Upgrade', 'upgrade', 'websocket'],
    ],
    setHost: false,
    maxHeaderSize: MAX_HEAD,
  });
  client.once('close', () => outgoing.destroy());
  outgoing.on('error', () => client.destroy());
  // Bytes pass only after the server agreed: otherwise they would be further requests, which nobody checked.
  outgoing.once('upgrade', (answered, server, first) => {
    const lines = responseHeaders(answered.rawHeaders, headers.connection, origins);
    client.write(
      `${headOf('101 Switching Protocols', [...lines, 'connection', 'Upgrade', 'upgrade', 'websocket'])}`,
    );
    client.write(first);
    server.write(head);
    server.on('error', () => client.destroy()).once('close', () => client.destroy());
    client.once('close', () => server.destroy());
    server.pipe(client).pipe(server);
  });
  outgoing.once('response', () => {
    outgoing.destroy();
    refuseUpgrade(client, 502);
  });
  outgoing.end();
}

function signIn(
  { previews, deck }: ProxyOptions,
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const redeemed = previews.redeem(headers.host, url.slice(SIGN_IN.length));
  if (!redeemed) {
    sendPage({ deck }, response, 401, 'This link was already used', 'Open the preview again from Tugdeck.');
    return;
  }
  const cookie = `${PREVIEW_COOKIE}=${redeemed.cookie}; Path=/; HttpOnly; ${FRAME_COOKIE}`;
  response.writeHead(303, [
    ...['location', redeemed.path, 'set-cookie', cookie, 'cache-control', 'no-store', 'content-length', '0'],
    ...['referrer-policy', 'no-referrer', 'content-security-policy', `frame-ancestors 'self' ${deck()}`],
  ]);
  response.end();
}

/**
 * The frame sent it: same origin, or the deck's navigation of the frame. Other pages can't use the cookie in most
 * browsers; this holds in all.
 */
function isOwnRequest({ headers, method }: IncomingMessage, { origin }: Preview): boolean {
  const site = headers['sec-fetch-site'];
  const isSame = site === undefined || site === 'same-origin' || site === 'none';
  if (headers.origin !== undefined && headers.origin !== origin)
    return headers.origin === 'null' && site === 'same-origin';
  return isSame || (method === 'GET' && headers['sec-fetch-dest'] === 'iframe');
}

function isNavigation({ headers }: IncomingMessage): boolean {
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined) return destination === 'iframe' || destination === 'document';
  return headers.accept?.includes('text/html') === true;
}

async function connectFor(preview: Preview, client: Duplex): Promise<Duplex> {
  const upstream = await preview.target.connect();
  for (const stream of [client, upstream]) {
    if (preview.connections.has(stream)) continue;
    preview.connections.add(stream);
    stream.once('close', () => preview.connections.delete(stream));
  }
  if (client.destroyed) upstream.destroy();
  return upstream;
}

function originsOf({ deck }: Pick<ProxyOptions, 'deck'>, { origin, target }: Preview): Origins {
  return { preview: origin, target: target.origin, deck: deck() };
}

/** Node would send a body of unknown length only for some methods. */
function withBody({ headers }: IncomingMessage, out: string[]): string[] {
  return headers['transfer-encoding'] === undefined ? out : [...out, 'transfer-encoding', 'chunked'];
}

function resolved(location: string, base: string): string {
  return URL.canParse(location, base) ? new URL(location, base).href : base;
}

function sendScript({ script }: ProxyOptions, url: string, response: ServerResponse): void {
  const body = url === SCRIPT ? script() : undefined;
  const type = 'text/javascript; charset=utf-8';
  response.writeHead(body ? 200 : 404, [
    'content-type',
    type,
    'cache-control',
    'no-cache',
    'x-content-type-options',
    'nosniff',
  ]);
  response.end(body);
}

function sendPage(
  { deck }: Pick<ProxyOptions, 'deck'>,
  response: ServerResponse,
  status: number,
  title: string,
  text: string,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { body, headers } = previewPage(title, text);
  response.writeHead(status, [...headers, 'content-security-policy', `frame-ancestors 'self' ${deck()}`]);
  response.end(body);
}

const UPGRADE_STATUS = { 403: '403 Forbidden', 502: '502 Bad Gateway' };

function refuseUpgrade(client: Duplex, status: keyof typeof UPGRADE_STATUS): void {
  client.end(headOf(UPGRADE_STATUS[status], ['content-length', '0', 'connection', 'close']), () =>
    client.destroy(),
  );
}

function headOf(status: string, headers: readonly string[]): string {
  const lines = headers.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
  return `HTTP/1.1 ${status}\r\n${lines}\r\n`;
}
