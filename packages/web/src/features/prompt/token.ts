/** The token at the cursor (C9): a command at the very beginning, or a file after `@`. Pure. */
export interface Token {
  readonly kind: 'command' | 'file';
  /** Without its prefix and quotes. */
  readonly query: string;
  /** The range that a choice replaces. */
  readonly start: number;
  readonly end: number;
}

const COMMAND = /^\/(\S*)$/;
const FILE = /(?:^|[\s([{,;])@(?:"([^"\n]*)|([^\s"]*))$/;

export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret);
  const command = COMMAND.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', start: 0, end: endOf(text, caret, /\S/) };
  const file = FILE.exec(before);
  if (!file) return undefined;
  const quoted = file[1];
  const query = quoted ?? file[2] ?? '';
  const start = caret - query.length - (quoted === undefined ? 1 : 2);
  const end = quoted === undefined ? endOf(text, caret, /[^\s"]/) : afterQuote(text, caret);
  return { kind: 'file', query, start, end };
}

/** The token includes the rest of the word at the cursor. */
function endOf(text: string, caret: number, part: RegExp): number {
  let end = caret;
  while (end < text.length && part.test(text[end] ?? '')) end++;
  return end;
}

function afterQuote(text: string, caret: number): number {
  const line = text.slice(caret).split('\n', 1)[0] ?? '';
  const quote = line.indexOf('"');
  return quote < 0 ? caret : caret + quote + 1;
}

/** The command as inserted into the message. */
export function commandText(name: string): string {
  return `/${name} `;
}

/** Names with spaces are quoted; a folder stays open, so that typing continues inside it. */
export function fileText(path: string, kind: 'file' | 'folder'): string {
  const needsQuotes = /\s/.test(path);
  if (kind === 'folder') return needsQuotes ? `@"${path}` : `@${path}`;
  return needsQuotes ? `@"${path}" ` : `@${path} `;
}
