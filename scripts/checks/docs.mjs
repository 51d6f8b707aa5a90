// Checks the docs: relative links lead to files, named test files exist, every decision has its number and a status, and
// the index of decisions is complete and has the same titles.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const DECISIONS = 'docs/decisions';
const INDEX = `${DECISIONS}/README.md`;
const LINK = /\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)/g;
const FENCE = /^```[\s\S]*?^```|`[^`\n]*`/gm;
/** A test file in a code span, by its name or the end of its path; `*` stands for any part of a name. */
const TEST_FILE = /`([\w./*-]+\.test\.(?:ts|mjs))`/g;

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkDocs(root) {
  const files = listFiles(root, ['.'], /\.md$/).filter((file) => !file.includes('/fixtures/'));
  const tests = listFiles(root, ['packages', 'e2e', 'testkit', 'bench', 'scripts'], /\.test\.(ts|mjs)$/);
  const problems = files.flatMap((file) => [...brokenLinks(root, file), ...missingTests(root, file, tests)]);
  const decisions = files.filter((file) => path.dirname(file) === DECISIONS && file !== INDEX);
  const index = existsSync(path.join(root, INDEX)) ? readText(root, INDEX) : '';
  for (const file of decisions) problems.push(...decisionProblems(file, readText(root, file), index));
  return verdict(files.length, problems);
}

/** @param {string} root @param {string} file */
function brokenLinks(root, file) {
  const text = readText(root, file).replace(FENCE, (code) => code.replace(/[^\n]/g, ' '));
  return [...text.matchAll(LINK)]
    .filter(([, target = '']) => !existsSync(path.join(root, path.dirname(file), decodeURI(target))))
    .map(({ 1: target, index }) => `${file}:${lineAt(text, index)} links to ${target}, which does not exist`);
}

/** @param {string} root @param {string} file @param {readonly string[]} tests @returns {string[]} */
function missingTests(root, file, tests) {
  const text = readText(root, file);
  return [...text.matchAll(TEST_FILE)]
    .filter(([, name = '']) => {
      const end = new RegExp(`(^|/)${name.replaceAll('.', '\\.').replaceAll('*', '[\\w-]*')}$`);
      return !tests.some((test) => end.test(test));
    })
    .map(({ 1: name, index }) => `${file}:${lineAt(text, index)} names ${name}, which does not exist`);
}

/** @param {string} file @param {string} text @param {string} index @returns {string[]} */
function decisionProblems(file, text, index) {
  const name = path.basename(file);
  const number = /^\d{4}(?=-[a-z0-9-]+\.md$)/.exec(name)?.[0];
  if (!number) return [`${file}: the name must be NNNN-subject.md`];
  const [title, , status = ''] = text.split('\n');
  const subject = title?.startsWith(`# ${number} `) ? title.slice(7) : undefined;
  if (subject === undefined) return [`${file}: the title must begin with "# ${number} "`];
  return [
    /^\*\*Status:\*\* (Accepted|Superseded by \[\d{4}\])/.test(status)
      ? ''
      : `${file}: the third line must be "**Status:** Accepted" or "**Status:** Superseded by [NNNN](…)"`,
    index.includes(`| [${number}](${name}) | ${subject} |`)
      ? ''
      : `${INDEX}: no row "[${number}](${name}) | ${subject}"`,
  ].filter(Boolean);
}
