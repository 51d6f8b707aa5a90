// Plain English in comments, strings, test titles and docs: no form of `vocabulary-list.mjs`, one word per concept, and
// labels in sentence case without a full stop. `node scripts/checks/vocabulary.mjs PATH ...` checks the given files and
// folders.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../parts/repository.mjs';
import { proseReader } from './prose.mjs';
import { listFiles, readText, verdict } from './tree.mjs';
import { EXCEPTIONS, FORMS, NAMES, WORDS } from './vocabulary-list.mjs';

const FILES = /\.(ts|tsx|mjs|cjs|md)$/;
const SKIPPED =
  /(^|\/)fixtures\/|^testkit\/agents\/|^scripts\/checks\/vocabulary-list\.mjs$|^scripts\/test\/vocabulary\./;
/** Test titles begin with the ids of rules. */
const RULE_IDS = /^(?:[A-Z]\d+ )+/;
const TEST = /(^|\/)test\/|\.test\.\w+$/;

/**
 * @param {string} root
 * @param {{only?: readonly string[], exceptions?: typeof EXCEPTIONS}} [options]
 * @returns {Promise<import('./tree.mjs').Verdict>}
 */
export async function checkVocabulary(root, { only, exceptions = EXCEPTIONS } = {}) {
  const read = await proseReader();
  const all = listFiles(root, ['.'], FILES).filter((file) => !SKIPPED.test(file));
  const isIn = (/** @type {string} */ file, /** @type {readonly string[]} */ places) =>
    places.some((place) => file === place || file.startsWith(`${place}/`));
  const files = all.filter((file) => !only || isIn(file, only));
  const unused = new Set(exceptions);
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    for (const prose of read(file, readText(root, file))) {
      for (const problem of problemsIn(prose, TEST.test(file))) {
        const exception = exceptions.find((one) => isIn(file, [one.file]) && prose.text.includes(one.text));
        if (exception) unused.delete(exception);
        else problems.push(`${file}:${prose.line} ${problem}`);
      }
    }
  }
  if (!only) {
    for (const { file, text } of unused)
      problems.push(`${file}: the exception "${text}" matches nothing, remove it`);
  }
  return verdict(files.length, problems);
}

/**
 * @param {import('./prose.mjs').Prose} prose
 * @param {boolean} isTest
 * @returns {string[]}
 */
function problemsIn({ kind, text }, isTest) {
  // A string without spaces is a value of a protocol or a file format, not prose.
  if (kind === 'string' && !text.includes(' ')) return [];
  const prose = isTest ? text.replace(RULE_IDS, '') : text;
  const found = [...FORMS, ...WORDS].flatMap(({ pattern, instead }) => {
    const match = pattern.exec(prose);
    return match ? [`"${match[0].trim()}": ${instead}`] : [];
  });
  return kind === 'label' && !isTest ? [...found, ...labelProblems(text)] : found;
}

/** @param {string} label @returns {string[]} */
function labelProblems(label) {
  const problems = [];
  if (/[^.]\.$/.test(label) && !/[.?!]\s/.test(label))
    problems.push(`label "${label}" ends with a full stop`);
  const [first = '', ...rest] = label.split(' ');
  if (rest.length > 0 && /^[a-z]+$/.test(first)) problems.push(`label "${label}" starts in lower case`);
  const capital = rest.find((word, index) => {
    const bare = word.replace(/[^A-Za-z].*$/, '');
    const startsSentence = /[.:?!]$/.test(index === 0 ? first : (rest[index - 1] ?? ''));
    return /^[A-Z][a-z]+$/.test(bare) && !NAMES.has(bare) && !startsSentence;
  });
  if (capital) problems.push(`label "${label}" has a capital inside ("${capital}"): use sentence case`);
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const only = process.argv.slice(2).map((place) => path.relative(ROOT, path.resolve(place)) || '.');
  const { checked, problems } = await checkVocabulary(ROOT, only.length > 0 ? { only } : {});
  for (const problem of problems) console.log(problem);
  console.log(`${checked} files, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
