/**
 * Decides which URLs in untrusted text may become links and images. Pure; uses the browser's URL parser, so that a
 * disguised scheme cannot be read differently later.
 */
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const PICTURE_DATA = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|svg\+xml)[;,]/i;

function parse(address: string, base: string): URL | undefined {
  return URL.canParse(address, base) ? new URL(address, base) : undefined;
}

/** A base that always parses: `about:blank` pages cannot resolve relative URLs. */
function usableBase(base: string): string {
  return /^https?:/.test(base) ? base : 'http://localhost/';
}

/** The URL for `href`; undefined if the link must stay text. */
export function linkAddress(address: string, base: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === '') return undefined;
  const url = parse(trimmed, usableBase(base));
  return url !== undefined && LINK_PROTOCOLS.has(url.protocol) ? trimmed : undefined;
}

/** The URL for `src`: only this origin, its `blob:` URLs and `data:` images. */
export function pictureAddress(address: string, base: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === '') return undefined;
  const home = usableBase(base);
  const url = parse(trimmed, home);
  if (url === undefined) return undefined;
  if (url.protocol === 'data:') return PICTURE_DATA.test(url.href) ? url.href : undefined;
  // The origin of a `blob:` URL is that of the page that created it.
  const canBeOurs = ['http:', 'https:', 'blob:'].includes(url.protocol);
  return canBeOurs && url.origin === new URL(home).origin ? trimmed : undefined;
}
