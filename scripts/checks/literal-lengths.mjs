// Distances, type, radii and stacking come from the scales in `ui/tokens/measures.css`. Older literals are counted per
// file in `literal-lengths.json`, and those counts only fall; a file that is not listed has none.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const TOKENS = 'packages/web/src/ui/tokens/';
const LIST = 'scripts/checks/literal-lengths.json';
/** `1px` is a hairline, not a distance; sizes of one thing (width, height) are free. */
const LITERAL =
  /(?<=^|[;{\s])(?:(?:margin|padding)(?:-[\w-]+)?|(?:row-|column-)?gap|font|font-size|line-height|border-radius|border-[\w-]+-radius)\s*:[^;{}]*?(?<![\w.-])(?!-?[01]px)-?[\d.]+px[^;{}]*|(?<=^|[;{\s])z-index\s*:\s*\d+/g;

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkLiteralLengths(root) {
  /** @type {Record<string, number>} */
  const granted = existsSync(path.join(root, LIST)) ? JSON.parse(readText(root, LIST)) : {};
  const files = listFiles(root, ['packages/web/src'], /\.css$/).filter((file) => !file.startsWith(TOKENS));
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    const text = withoutComments(readText(root, file));
    const found = [...text.matchAll(LITERAL)];
    const most = granted[file] ?? 0;
    if (found.length <= most) continue;
    const places = found.map(({ 0: rule, index }) => `${lineAt(text, index)} ${rule.trim()}`).slice(0, 20);
    problems.push(
      `${file}: ${found.length} literal lengths, at most ${most}: use the scales (${places.join(', ')})`,
    );
  }
  for (const file of Object.keys(granted))
    if (!files.includes(file)) problems.push(`${LIST}: ${file} is gone, remove its entry`);
  return verdict(files.length, problems);
}

const withoutComments = (/** @type {string} */ text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
