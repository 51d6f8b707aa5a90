// Colors come from design tokens: a literal color outside the token files breaks every theme but one.
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const TOKENS = /^packages\/web\/src\/ui\/tokens\//;
const HEX = String.raw`#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![\w-])`;
const FUNCTION = String.raw`\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(\s*[\d.+-]`;
const NAMED =
  'white|black|red|green|blue|yellow|orange|purple|pink|brown|gr[ae]y|cyan|magenta|silver|gold|navy|teal|lime|maroon|olive|aqua|fuchsia|violet|indigo|crimson|coral|salmon|tomato';

const IN_STYLES = [
  // In a value only: `#add { ... }` is a selector.
  new RegExp(`(?<=:[^;{}]*)${HEX}(?=[^;{}]*[;}])`, 'gi'),
  new RegExp(FUNCTION, 'gi'),
  new RegExp(
    String.raw`(?<=(?:color|background|border[\w-]*|fill|stroke|outline|shadow)\s*:[^;{}]*[\s:,(])(?:${NAMED})(?=[\s;,)}])`,
    'gi',
  ),
];
const IN_CODE = [
  // In a quoted text only: `this.#add` is a private field.
  new RegExp(String.raw`(?<=['"\`](?:[^'"\`\n]*[\s:,(])?)${HEX}`, 'gi'),
  new RegExp(FUNCTION, 'gi'),
];

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkColors(root) {
  const files = listFiles(root, ['packages/web', 'packages/client'], /\.(ts|tsx|css|html)$/).filter(
    (file) => !TOKENS.test(file) && !/(^|\/)(test|fixtures)\//.test(file),
  );
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    const text = withoutComments(readText(root, file));
    for (const pattern of file.endsWith('.css') ? IN_STYLES : IN_CODE) {
      for (const match of text.matchAll(pattern)) {
        problems.push(`${file}:${lineAt(text, match.index)} a color literal ("${match[0]}"): use a token`);
      }
    }
  }
  return verdict(files.length, problems);
}

/** Keeps the line breaks, so that line numbers stay correct. */
const withoutComments = (/** @type {string} */ text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
