/**
 * Decodes character references in Markdown text. Only a bare `&name;` is passed to the browser's HTML parser (which
 * knows all 2,231 names), never the text around it.
 */
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/g;
const KNOWN_LIMIT = 512;

const known = new Map<string, string>([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['nbsp', '\u00a0'],
]);

function named(name: string): string {
  const hit = known.get(name);
  if (hit !== undefined) return hit;
  const parsed = new DOMParser().parseFromString(`&${name};`, 'text/html').documentElement.textContent ?? '';
  if (known.size < KNOWN_LIMIT) known.set(name, parsed);
  return parsed;
}

function numbered(code: number): string {
  const isInvalid = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return isInvalid ? '\ufffd' : String.fromCodePoint(code);
}

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return numbered(Number.parseInt(decimal, 10));
    if (hex !== undefined) return numbered(Number.parseInt(hex, 16));
    return named(name ?? '');
  });
}
