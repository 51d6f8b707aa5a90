// Limits the length of files. Longer files need an entry with a reason in `size-exceptions.json`, up to a hard
// limit. That list only shrinks: an entry whose file fits, is gone or has grown is a failure too.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { listFiles, readText, verdict } from './tree.mjs';

const LIMITS = [
  { what: 'test', pattern: /(^|\/)test\/|\.test\.(ts|tsx|mjs)$|^e2e\//, lines: 900, end: 900 },
  { what: 'schema', pattern: /(^|\/)wire\.ts$|\/[^/]*schema[^/]*\.ts$/, lines: 800, end: 800 },
  { what: 'view', pattern: /\.tsx$/, lines: 250, end: 600 },
  { what: 'source', pattern: /./, lines: 400, end: 600 },
];
const FOLDERS = ['packages', 'testkit', 'bench', 'e2e', 'scripts'];
const LIST = 'scripts/checks/size-exceptions.json';

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkSizes(root) {
  /** @type {Record<string, {lines: number, why: string}>} */
  const exceptions = existsSync(path.join(root, LIST)) ? JSON.parse(readText(root, LIST)) : {};
  const files = listFiles(root, FOLDERS, /\.(ts|tsx|mts|mjs|css)$/).filter((f) => !f.includes('/fixtures/'));
  /** @type {string[]} */
  const problems = [];
  for (const [file, { why }] of Object.entries(exceptions)) {
    if (!files.includes(file)) problems.push(`${LIST}: ${file} is gone, remove its entry`);
    if (!why?.trim()) problems.push(`${LIST}: ${file} has no reason`);
  }
  for (const file of files) {
    const lines = readText(root, file).split('\n').length - 1;
    const fault = judge(file, lines, exceptions[file]?.lines ?? null);
    if (fault) problems.push(fault);
  }
  return verdict(files.length, problems);
}

/** @param {string} file @param {number} lines @param {number | null} granted */
function judge(file, lines, granted) {
  const limit = LIMITS.find(({ pattern }) => pattern.test(file));
  if (!limit) throw new Error(`no size limit matches ${file}`);
  if (lines > limit.end) return `${file}: ${lines} lines, a ${limit.what} ends at ${limit.end}`;
  if (granted === null) {
    return lines > limit.lines ? `${file}: ${lines} lines, a ${limit.what} has at most ${limit.lines}` : null;
  }
  if (lines <= limit.lines) return `${LIST}: ${file} fits now (${lines} lines), remove its entry`;
  return lines > granted ? `${file}: ${lines} lines, grew past the ${granted} it was granted` : null;
}
