// Code outside an agent's own driver must not know which agents exist: the second one would mean surgery.
// So their names may occur only where a concrete agent is the subject.
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const WORDS = /claude|anthropic|codex|gemini|opencode/gi;
const LOOKED_AT = /\.(ts|tsx|mts|mjs|js|css|html|json|svg)$/;
const DRIVER = /^packages\/drivers\/src\/([^/]+)\//;
const MAY = [
  /(^|\/)(fixtures|test)\//,
  /^packages\/agents\//,
  // The list of drivers has to import each by its folder's name.
  /^packages\/drivers\/src\/known-(drivers|histories)\.ts$/,
  /^scripts\/checks\/(agent-words|sdk-dependencies)\.mjs$/,
];

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkAgentWords(root) {
  const files = listFiles(root, ['packages', 'scripts'], LOOKED_AT);
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    if (MAY.some((pattern) => pattern.test(file)) || isAgentsOwn(file)) continue;
    if (file.search(WORDS) >= 0) problems.push(`${file}: a file name that names an agent`);
    const text = readText(root, file);
    for (const match of text.matchAll(WORDS)) {
      problems.push(`${file}:${lineAt(text, match.index)} names an agent ("${match[0]}")`);
    }
  }
  return verdict(files.length, problems);
}

/** The kit is shared by all drivers, so it is no agent's own folder. */
function isAgentsOwn(/** @type {string} */ file) {
  const folder = DRIVER.exec(file)?.[1];
  return folder !== undefined && folder !== 'kit';
}
