/** Hides values of variables, headers and keys in text taken from an agent's settings. Pure. */
import { HIDDEN_VALUE } from '@tugdeck/protocol/areas/agent-setup';
import { parseJson, parseToml } from '@tugdeck/trust/texts';

const HOLDERS = /^(env|environment|headers|http_headers)$/i;
const SECRETS = /(token|secret|password|api_?key|authorization)$/i;
/** Shorter values are words that occur anywhere, and are hidden only as a whole string. */
const SHORTEST = 6;
/** Limited, because every value is searched for in every line. */
const MAX_VALUES = 500;

/** A function that hides the values of these files. A text that is neither JSON nor TOML has none. */
export function hiderFor(texts: readonly string[]): (line: string) => string {
  const values = new Set(texts.flatMap((text) => valuesIn(parsed(text), false)).filter(Boolean));
  if (values.size > MAX_VALUES) throw new SyntaxError('it has too many variables');
  // Longest first: one value can contain another.
  const hidden = [...values]
    .sort((a, b) => b.length - a.length)
    .flatMap((value) => {
      const escaped = JSON.stringify(value);
      return value.length < SHORTEST ? [escaped, `'${value}'`] : [escaped.slice(1, -1), value];
    });
  return (line) =>
    hidden.reduce((text, value) => {
      const quote = /^["']/.exec(value)?.[0] ?? '';
      return text.replaceAll(value, () => `${quote}${HIDDEN_VALUE}${quote}`);
    }, line);
}

function valuesIn(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    valuesIn(inner, isSecret || HOLDERS.test(key) || SECRETS.test(key)),
  );
}

function parsed(text: string): unknown {
  for (const parse of [parseJson, parseToml]) {
    try {
      return parse(text);
    } catch {
      // The other notation, or a text.
    }
  }
  return undefined;
}
