/**
 * Addresses of web servers on this machine, as programs print them: `http://localhost:5173/`. Only these can be shown in
 * a preview. Pure; page and machine read an address in the same way.
 */
export interface LocalAddress {
  /** The name that the server gets as `Host`: `localhost`, `127.0.0.1` or `[::1]`. */
  readonly host: string;
  readonly port: number;
  /** Path, query and fragment; begins with `/`. */
  readonly path: string;
}

/** The part of the URL parser that browsers and Node share. */
interface ParsedUrl {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly username: string;
  readonly password: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly origin: string;
}
declare const URL: { new (text: string): ParsedUrl; canParse(text: string): boolean };

const MAX_LENGTH = 2_000;
/** Servers print these when they listen on every address. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]']);
const NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const HTTP_PORT = 80;

/** Undefined for every other machine, scheme or form. A missing scheme means `http:`. */
export function readLocalAddress(text: string): LocalAddress | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(full)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(full);
  if (protocol !== 'http:' || username !== '' || password !== '') return undefined;
  const host = WILDCARDS.has(hostname) ? 'localhost' : hostname;
  if (!NAMES.has(host)) return undefined;
  return {
    host,
    port: port === '' ? HTTP_PORT : Number(port),
    path: `${pathname}${search}${hash}`,
  };
}

export function originOf({ host, port }: Pick<LocalAddress, 'host' | 'port'>): string {
  return new URL(`http://${host}:${port}`).origin;
}

/** Not `:` alone: a port is needed, because text like `localhost` is rarely an address. */
const IN_TEXT =
  /\bhttp:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d{1,5}(?![\w-]|\.\w)(?:\/[\w\-.~%!$&'()*+,;=:@/?#]*)?/gi;
const MAX_FOUND = 10;

/** The addresses in a program's output, without the punctuation after them, each once. */
export function findLocalAddresses(text: string): string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(IN_TEXT)) {
    const address = match.replace(/[.,;:!?')]+$/, '');
    if (readLocalAddress(address)) found.add(address);
    if (found.size >= MAX_FOUND) break;
  }
  return [...found];
}
