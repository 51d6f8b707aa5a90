// Lists the rules of docs/spec.md that no test title cites, and citations of rules that do not exist. For
// information only: some rules cannot be tested.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles, readText } from './checks/tree.mjs';
import { ROOT } from './parts/repository.mjs';

const SPEC = 'docs/spec.md';
const RULE = /^\s*(?:[-*]|#+|\|)?\s*\**([A-Z]\d{1,2})\b/gm;
/** The rule ids at the start of a title: `M2 applies ...`, or several: `M2 M3, H5: ...`. */
const TITLE = /\b(?:test|it|describe|suite)(?:\.\w+(?:\([^)]*\))?)*\(\s*[`'"]((?:[A-Z]\d{1,2}[\s,:/+]+)+)/g;

/** @param {string} root @returns {{rules: string[], untested: string[], unknown: string[]}} */
export function compareRules(root) {
  const rules = existsSync(path.join(root, SPEC))
    ? [...new Set([...readText(root, SPEC).matchAll(RULE)].map((match) => match[1] ?? ''))]
    : [];
  const cited = new Set();
  for (const file of listFiles(root, ['packages', 'testkit', 'e2e', 'scripts'], /\.test\.(ts|tsx|mjs)$/)) {
    for (const [, ids = ''] of readText(root, file).matchAll(TITLE)) {
      for (const id of ids.match(/[A-Z]\d{1,2}/g) ?? []) cited.add(id);
    }
  }
  return {
    rules,
    untested: rules.filter((id) => !cited.has(id)),
    unknown: [...cited].filter((id) => !rules.includes(id)).sort(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { rules, untested, unknown } = compareRules(ROOT);
  console.log(`${rules.length} rules, ${untested.length} without a test: ${untested.join(' ')}`);
  if (unknown.length > 0) console.log(`cited in tests but not in ${SPEC}: ${unknown.join(' ')}`);
  process.exitCode = rules.length > 0 ? 0 : 1;
}
