/** Pages that the proxy shows in the frame instead of the server's. They contain nothing from a request. */
import { createHash } from 'node:crypto';

const STYLE =
  ':root{color-scheme:light dark;font:15px/24px system-ui,sans-serif}body{margin:0;min-height:100vh;display:grid;place-content:center;' +
  'text-align:center;padding:24px;box-sizing:border-box}h1{font-size:16px;margin:0 0 4px}p{margin:0;opacity:.75}';
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export function previewPage(title: string, text: string): { body: string; headers: string[] } {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></html>`;
  return {
    body,
    headers: [
      'content-type',
      'text/html; charset=utf-8',
      'content-length',
      String(Buffer.byteLength(body)),
      'cache-control',
      'no-store',
      'content-security-policy',
      POLICY,
    ],
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
