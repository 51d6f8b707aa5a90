/**
 * Decides which addresses of foreign text may become links and pictures. Pure; it parses with the same URL
 * algorithm the browser navigates with, so no disguise of a scheme can be read differently later.
 */
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const PICTURE_DATA = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|svg\+xml)[;,]/i;

function parse(address: string, base: string): URL | undefined {
  return URL.canParse(address, base) ? new URL(address, base) : undefined;
}

/** A base that always parses: `about:blank` pages cannot resolve relative addresses. */
function usableBase(base: string): string {
  return /^https?:/.test(base) ? base : 'http://localhost/';
}

/** The address to put into `href`, or undefined when the link must stay text. */
export function linkAddress(address: string, base: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === '') return undefined;
  const url = parse(trimmed, usableBase(base));
  return url !== undefined && LINK_PROTOCOLS.has(url.protocol) ? trimmed : undefined;
}

/** The address to put into `src`: this origin, its own `blob:` and pictures in `data:` only. */
export function pictureAddress(address: string, base: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === '') return undefined;
  const home = usableBase(base);
  const url = parse(trimmed, home);
  if (url === undefined) return undefined;
  if (url.protocol === 'data:') return PICTURE_DATA.test(url.href) ? url.href : undefined;
  // The origin of a `blob:` is that of the page that made it.
  const canBeOurs = ['http:', 'https:', 'blob:'].includes(url.protocol);
  return canBeOurs && url.origin === new URL(home).origin ? trimmed : undefined;
}
