/**
 * The page served while no server runs. The keeper still holds the port, so no other program can answer in its place.
 */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

/** Not a `Refresh` header: it does not reload an address with a fragment. */
const SCRIPT = `setTimeout(() => location.reload(), 1000);
const button = document.querySelector('button');
button.hidden = !navigator.clipboard;
button.addEventListener('click', () => navigator.clipboard.writeText('tugdeck').then(() => { button.textContent = 'Copied'; }));`;
/** The look of the product's other pages; complete in itself, because nothing else can be loaded. */
const STYLE = `:root { color-scheme: dark light; font: 15px/24px Inter, system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#eceef5, #0f1016); color: light-dark(#1a1f33, #e6e9f5); }
main { box-sizing: border-box; width: min(26rem, calc(100vw - 2rem)); padding: 2rem; border: 1px solid light-dark(#c3c9dc, #3a4056); border-radius: 14px; background: light-dark(#ffffff, #1f222e); }
h1 { font-size: 20px; line-height: 28px; margin: 0.75rem 0 0.5rem; }
p { margin: 0 0 1rem; color: light-dark(#4f5875, #a6adc8); }
div { display: flex; align-items: center; padding: 0.375rem 0.375rem 0.375rem 0.75rem; border: 1px solid light-dark(#c3c9dc, #3a4056); border-radius: 10px; background: light-dark(#f4f5fa, #12141c); }
code { flex: 1; min-height: 2rem; align-content: center; font: 13px/20px ui-monospace, monospace; }
button { min-height: 2rem; padding: 0 0.75rem; border: 0; border-radius: 6px; background: light-dark(#2f5fd0, #7aa2f7); color: light-dark(#ffffff, #0f1016); font: 600 13px Inter, system-ui, sans-serif; cursor: pointer; }
[hidden] { display: none; }
.hull { fill: light-dark(#2f5fd0, #7aa2f7); } .cabin { fill: light-dark(#1a1f33, #e6e9f5); } .funnel { fill: light-dark(#f5a524, #ffb454); }`;
const MARK =
  '<svg width="40" height="40" viewBox="0 0 32 32" aria-hidden="true"><path class="hull" d="M3 19.5h26l-3.4 6.2a2.5 2.5 0 0 1-2.2 1.3H9a2.5 2.5 0 0 1-2.2-1.3Z"/><path class="cabin" d="M9 10.5A1.5 1.5 0 0 1 10.5 9h6A1.5 1.5 0 0 1 18 10.5V17H9Z"/><path class="funnel" d="M20.5 5h4v12h-4Z"/></svg>';
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="dark light"><title>Tugdeck is not running</title><style>${STYLE}</style></head>
<body><main>${MARK}<h1>Tugdeck is not running</h1>
<p>Start it with this command. This page reloads automatically.</p>
<div><code>tugdeck</code><button type="button" hidden>Copy</button></div></main><script>${SCRIPT}</script></body></html>
`;

const ANSWER = [
  'HTTP/1.1 503 Service Unavailable',
  'content-type: text/html; charset=utf-8',
  `content-length: ${Buffer.byteLength(PAGE)}`,
  'cache-control: no-store',
  `content-security-policy: default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
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
