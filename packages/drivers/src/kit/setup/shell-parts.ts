/** Splits a shell command at its operators, outside of quotes. Pure. */
export function shellParts(command: string): string[] {
  const token = /"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|(&&|\|\||\|&|;|\||&|\n)|[^"'\\;|&\n]+|["'\\]/g;
  const parts = [''];
  for (const [text, operator] of command.matchAll(token)) {
    if (operator === undefined) parts[parts.length - 1] += text;
    else parts.push('');
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Words of a simple command, quotes removed. */
export function shellWords(command: string): string[] {
  const words = command.match(/(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|[^\s"'\\]|["'\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g,
      (_all, double?: string, single?: string, escaped?: string) =>
        double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
    ),
  );
}

/** A pattern with `*` for any text, and `?` for one character if `hasOne`. */
export function wildcard(pattern: string, hasOne = false): RegExp {
  const source = pattern.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '[\\s\\S]*');
  return new RegExp(`^${hasOne ? source.replaceAll('\\?', '[\\s\\S]') : source}$`);
}
