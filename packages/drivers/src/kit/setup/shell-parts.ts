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

/**
 * A pattern with `*` for any text, and `?` for one character if `hasOne`. Not a regular expression: a project's pattern
 * with many stars would take forever.
 */
export function matchesWildcard(pattern: string, text: string, hasOne = false): boolean {
  let [at, from] = [0, 0];
  let star: { readonly at: number; from: number } | undefined;
  while (from < text.length) {
    if (pattern[at] === '*') star = { at: at++, from };
    else if (at < pattern.length && (pattern[at] === text[from] || (hasOne && pattern[at] === '?'))) {
      at++;
      from++;
    } else if (star) {
      // The last star takes one more character.
      from = ++star.from;
      at = star.at + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
