/**
 * The HTML tags that are rendered; any other `<` is text. Pure. Words in angle brackets in prose (`git checkout
 * <branch>`, `List<int>`) look like tags to a parser, so this list decides.
 */
export const ALLOWED_TAGS: readonly string[] = Object.freeze([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'strong', 'em', 'del', 'sup', 'sub', 'a', 'code'],
  ...['pre', 'ul', 'ol', 'li', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img'],
  ...['b', 'i', 'u', 's', 'ins', 'mark', 'small', 'kbd', 'samp', 'var', 'abbr', 'cite', 'q', 'span', 'div'],
  ...['details', 'summary', 'dl', 'dt', 'dd', 'caption', 'tfoot'],
]);
export const ALLOWED_ATTRIBUTES: readonly string[] = Object.freeze(['href', 'src', 'alt', 'title', 'open']);
/** Elements without content and closing tag. */
export const VOID_TAGS: ReadonlySet<string> = new Set(['br', 'hr', 'img']);

const NAMES: ReadonlySet<string> = new Set(ALLOWED_TAGS);
const ATTRIBUTE = /\s+([A-Za-z_:][\w.:-]*)(?:\s*=\s*(?:([^\s"'=<>`]+)|'([^']*)'|"([^"]*)"))?/g;
const TAG = new RegExp(`<(/?)([A-Za-z][A-Za-z0-9-]*)((?:${ATTRIBUTE.source})*)\\s*/?>`, 'y');
/** The beginning of a URL in angle brackets. */
const ADDRESS =
  /^<(?:h(?:t(?:t(?:p(?:s?(?::[^\s<>]*)?)?)?)?)?|m(?:a(?:i(?:l(?:t(?:o(?::[^\s<>]*)?)?)?)?)?)?)$/i;
const UNFINISHED = /^<\/?([A-Za-z][A-Za-z0-9-]*)(\s[^<>\n]*|\/)?$/;

export interface Tag {
  readonly raw: string;
  readonly name: string;
  readonly isClosing: boolean;
  readonly attributes: string;
}

/** A lone capital letter is a type parameter (`Promise<T>`, `Set<A>`), not markup. */
function isAllowedName(name: string): boolean {
  return !/^[A-Z]$/.test(name) && NAMES.has(name.toLowerCase());
}

/** The allowed tag at `at`. */
export function allowedTagAt(text: string, at = 0): Tag | undefined {
  TAG.lastIndex = at;
  const [raw, slash, name = '', attributes = ''] = TAG.exec(text) ?? [];
  if (raw === undefined || !isAllowedName(name)) return undefined;
  const isClosing = slash === '/';
  if (isClosing && attributes !== '') return undefined;
  return { raw, name: name.toLowerCase(), isClosing, attributes };
}

/** Whether the end of a streaming text may become an allowed tag or a URL. */
export function mayBecomeTag(rest: string): boolean {
  if (rest === '<' || rest === '</' || ADDRESS.test(rest)) return true;
  const [, name, after] = UNFINISHED.exec(rest) ?? [];
  if (name === undefined) return false;
  if (after !== undefined) return isAllowedName(name);
  return ALLOWED_TAGS.some((allowed) => allowed.startsWith(name.toLowerCase()));
}

/** Rewrites allowed tags with their allowed attributes and escapes every other `<`. */
export function escapeOtherTags(html: string): string {
  let escaped = '';
  let from = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', from)) {
    const tag = allowedTagAt(html, at);
    escaped += html.slice(from, at) + (tag ? written(tag) : '&lt;');
    from = at + (tag?.raw.length ?? 1);
  }
  return escaped + html.slice(from);
}

function written({ name, isClosing, attributes }: Tag): string {
  if (isClosing) return `</${name}>`;
  let tag = `<${name}`;
  for (const [, attribute = '', bare, single, double] of attributes.matchAll(ATTRIBUTE)) {
    const key = attribute.toLowerCase();
    if (ALLOWED_ATTRIBUTES.includes(key)) tag += ` ${key}="${quoted(bare ?? single ?? double ?? '')}"`;
  }
  return `${tag}>`;
}

/** Character references stay, because the value is HTML. */
function quoted(value: string): string {
  return value.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
