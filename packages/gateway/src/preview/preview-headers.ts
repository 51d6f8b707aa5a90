/**
 * Headers of previewed servers, in both directions (W7). The server sees requests to its own address; the browser sees
 * responses that it may frame here, whose cookies work in a frame, and that set nothing outside of their origin. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Names and values in turn, as in `rawHeaders`. */
export type RawHeaders = readonly string[];

/** Holds the frame's sign-in; never forwarded. */
export const PREVIEW_COOKIE = 'tugdeck-preview';

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Replaced by ours. */
const REQUEST_ONLY_OURS: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'referer',
  'cookie',
  'sec-fetch-site',
]);
/** They would forbid the frame, or apply to more than this origin: a port or scheme of the name, or our cookie. */
const RESPONSE_DROPPED: ReadonlySet<string> = new Set([
  'x-frame-options',
  'strict-transport-security',
  'alt-svc',
  'clear-site-data',
  'public-key-pins',
]);
/** Directives that a frame over plain HTTP can't keep. */
const POLICY_DROPPED = /^\s*(?:frame-ancestors|upgrade-insecure-requests|block-all-mixed-content)\b/i;

export interface Origins {
  /** The frame's origin. */
  readonly preview: string;
  /** The server's own origin. */
  readonly target: string;
  readonly deck: string;
}

export function* pairsOf(headers: RawHeaders): Generator<readonly [name: string, value: string]> {
  for (let at = 0; at + 1 < headers.length; at += 2) yield [headers[at] ?? '', headers[at + 1] ?? ''];
}

/** The headers that a request to the server has. */
export function requestHeaders(
  raw: RawHeaders,
  parsed: IncomingHttpHeaders,
  { preview, target }: Omit<Origins, 'deck'>,
  { isDocument = false }: { readonly isDocument?: boolean } = {},
): string[] {
  const named = namedByConnection(parsed.connection);
  const out = ['host', new URL(target).host];
  for (const [name, value] of pairsOf(raw)) {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || REQUEST_ONLY_OURS.has(lower) || named.has(lower)) continue;
    // The script can't be put into a compressed document.
    if (isDocument && lower === 'accept-encoding') continue;
    out.push(name, value);
  }
  if (parsed.origin !== undefined) out.push('origin', target);
  if (parsed.referer?.startsWith(`${preview}/`) === true)
    out.push('referer', target + parsed.referer.slice(preview.length));
  if (parsed['sec-fetch-site'] !== undefined) out.push('sec-fetch-site', 'same-origin');
  const cookie = withoutOwnCookie(parsed.cookie);
  if (cookie !== '') out.push('cookie', cookie);
  if (isDocument) out.push('accept-encoding', 'identity');
  return out;
}

/** `isChanged`: the body gets our script, so its length and ranges are no longer those of the server. */
export function responseHeaders(
  raw: RawHeaders,
  connection: string | undefined,
  origins: Origins,
  { isChanged = false }: { readonly isChanged?: boolean } = {},
): string[] {
  const named = namedByConnection(connection);
  const out: string[] = [];
  for (const [name, value] of pairsOf(raw)) {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || RESPONSE_DROPPED.has(lower) || named.has(lower)) continue;
    if (isChanged && (lower === 'content-length' || lower === 'accept-ranges')) continue;
    if (lower === 'set-cookie') out.push(...frameCookie(value));
    else if (lower === 'location') out.push(name, ownLocation(value, origins) ?? value);
    else if (lower.startsWith('content-security-policy')) {
      const policy = framePolicy(value);
      if (policy !== '') out.push(name, policy);
    } else out.push(name, value);
  }
  out.push('content-security-policy', `frame-ancestors 'self' ${origins.deck}`);
  return out;
}

/** The nonce that the server's policy demands of scripts. */
export function nonceOf(raw: RawHeaders): string | undefined {
  for (const [name, value] of pairsOf(raw)) {
    const nonce = name.toLowerCase() === 'content-security-policy' && /'nonce-([\w+/=-]+)'/.exec(value)?.[1];
    if (nonce) return nonce;
  }
  return undefined;
}

/** The redirect within the frame's origin; undefined if it leads elsewhere. */
export function ownLocation(value: string, { preview, target }: Omit<Origins, 'deck'>): string | undefined {
  if (!URL.canParse(value, target)) return undefined;
  const url = new URL(value, target);
  const isOwn = [target, preview].includes(url.origin) || isSameServer(url, target);
  // Resolved against the request by the browser, so that a relative one stays relative to its path.
  if (!isOwn) return undefined;
  return /^[a-z][a-z\d+.-]*:|^\/\//i.test(value) ? `${url.pathname}${url.search}${url.hash}` : value;
}

/** Another name of the same loopback server. */
function isSameServer({ protocol, hostname, port }: URL, target: string): boolean {
  const own = new URL(target);
  const names = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0'];
  return protocol === own.protocol && port === own.port && names.includes(hostname);
}

export function ownCookies(header: string | undefined): string[] {
  return cookiesOf(header).flatMap((cookie) =>
    cookie.startsWith(`${PREVIEW_COOKIE}=`) ? [cookie.slice(PREVIEW_COOKIE.length + 1)] : [],
  );
}

function withoutOwnCookie(header: string | undefined): string {
  return cookiesOf(header)
    .filter((cookie) => !cookie.startsWith(`${PREVIEW_COOKIE}=`))
    .join('; ');
}

function cookiesOf(header: string | undefined): string[] {
  return (header ?? '').split(/;\s*/).filter((cookie) => cookie !== '');
}

/** The frame is on another site than the deck, where browsers keep only such cookies. */
export const FRAME_COOKIE = 'Secure; SameSite=None; Partitioned';

function frameCookie(value: string): string[] {
  const [pair = '', ...attributes] = value.split(';').map((part) => part.trim());
  if (pair.slice(0, pair.indexOf('=')).trim() === PREVIEW_COOKIE) return [];
  const kept = attributes.filter(
    (attribute) => attribute !== '' && !/^(?:domain|samesite|secure|partitioned)\b/i.test(attribute),
  );
  return ['set-cookie', [pair, ...kept, FRAME_COOKIE].join('; ')];
}

function framePolicy(value: string): string {
  return value
    .split(',')
    .map((policy) =>
      policy
        .split(';')
        .filter((directive) => directive.trim() !== '' && !POLICY_DROPPED.test(directive))
        .join(';')
        .trim(),
    )
    .filter((policy) => policy !== '')
    .join(', ');
}

function namedByConnection(value: string | undefined): ReadonlySet<string> {
  return new Set((value ?? '').split(',').map((name) => name.trim().toLowerCase()));
}
