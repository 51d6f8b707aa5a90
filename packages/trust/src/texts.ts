/**
 * Parsers for configuration files; each throws on invalid input. Pure, and linear in the length of the text: scanners
 * instead of backtracking patterns.
 */
import { parseJson as parseStrictJson } from '@tugdeck/protocol/parse-json';
import { parse as parseTomlText } from 'smol-toml';

/** JSON as agents accept it: with comments and trailing commas. */
export function parseJson(text: string): unknown {
  const bare = withoutByteOrderMark(text);
  try {
    return parseStrictJson(bare);
  } catch {
    return parseStrictJson(plainJson(bare));
  }
}

export function parseToml(text: string): unknown {
  // Through JSON, so that dates become strings and objects are plain.
  return parseStrictJson(JSON.stringify(parseTomlText(withoutByteOrderMark(text))));
}

/** `NAME=value` lines. Other lines are kept as they are, because some reader may accept them. */
export function parseVariables(text: string): [name: string, value: string][] {
  return withoutByteOrderMark(text)
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith(';'))
    .map((line) => {
      const at = line.indexOf('=');
      if (at < 0) return [line, ''];
      return [
        line
          .slice(0, at)
          .replace(/^export\s/, '')
          .trim(),
        line.slice(at + 1).trim(),
      ];
    });
}

/**
 * Executable parts of a Markdown prompt: commands that run when it is used, and hooks or servers in its front matter.
 */
export function programsIn(text: string): { commands: string[]; head: string } {
  const bare = withoutByteOrderMark(text).replaceAll('\r\n', '\n');
  const commands = [
    enclosedIn(bare, '!`', '`'),
    enclosedIn(bare, '!{', '}'),
    enclosedIn(bare, '```!', '```'),
  ].flat();
  return { commands, head: executableHead(bare) };
}

function executableHead(text: string): string {
  if (!text.startsWith('---\n')) return '';
  const end = text.indexOf('\n---', 3);
  const lines = text.slice(4, end < 0 ? 4 : end).split('\n');
  const at = lines.findIndex((line) => /^[ \t]*["']?(hooks|mcp\w*|lsp\w*)["']?[ \t]*:/i.test(line));
  return at < 0 ? '' : lines.slice(at).join('\n').trim();
}

function enclosedIn(text: string, open: string, close: string): string[] {
  const found: string[] = [];
  for (let from = text.indexOf(open); from >= 0; ) {
    const start = from + open.length;
    const end = text.indexOf(close, start);
    if (end < 0) break;
    const inner = text.slice(start, end).trim();
    if (inner !== '') found.push(inner);
    from = text.indexOf(open, end + close.length);
  }
  return found;
}

function plainJson(text: string): string {
  const parts: string[] = [];
  /** Index in `parts` of a comma that may turn out to be trailing. */
  let comma = -1;
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    at = end;
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    if ((char === '}' || char === ']') && comma >= 0) parts[comma] = '';
    if (char === ',') comma = parts.length;
    else if (!/\s/.test(char)) comma = -1;
    parts.push(token);
  }
  return parts.join('');
}

function endOfToken(text: string, at: number): number {
  if (text.startsWith('//', at)) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  }
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2);
    return end < 0 ? text.length : end + 2;
  }
  if (text[at] !== '"') return at + 1;
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return Math.min(end + 1, text.length);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
