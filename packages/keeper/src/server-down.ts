/**
 * The page served while no server runs. The keeper still holds the port, so no other program can answer in its place.
 */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

/** Not a `Refresh` header: it does not reload an address with a fragment. */
const RELOAD_SCRIPT = 'setTimeout(() => location.reload(), 1000);';
const STYLE = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; margin: 0; }`;
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="dark light"><title>Tugdeck is not running</title><style>${STYLE}</style></head>
<body><h1>Tugdeck is not running</h1>
<p>Start it with <code>tugdeck</code>. This page reloads automatically.</p><script>${RELOAD_SCRIPT}</script></body></html>
`;

const ANSWER = [
  'HTTP/1.1 503 Service Unavailable',
  'content-type: text/html; charset=utf-8',
  `content-length: ${Buffer.byteLength(PAGE)}`,
  'cache-control: no-store',
  `content-security-policy: default-src 'none'; script-src ${hashOf(RELOAD_SCRIPT)}; style-src ${hashOf(STYLE)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  'x-content-type-options: nosniff',
  'referrer-policy: no-referrer',
  'cross-origin-resource-policy: same-origin',
  'connection: close',
  '',
  PAGE,
].join('\r\n');

/** With TLS, only the server can answer. */
export function answerServerDown(client: Socket, isSecure: boolean): void {
  if (isSecure) {
    client.destroy();
    return;
  }
  // Read and drop the rest of the request: unread data would reset the connection before the answer arrives.
  client.resume();
  client.end(ANSWER);
  const timeout = setTimeout(() => client.destroy(), 2_000);
  client.once('close', () => clearTimeout(timeout));
}
