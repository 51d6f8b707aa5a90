// Code outside an agent's own driver must not depend on specific agents; otherwise a new agent would need changes
// everywhere. Agent names may therefore occur only where that agent is the subject.
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const WORDS = /claude|anthropic|codex|gemini|opencode/gi;
const CHECKED = /\.(ts|tsx|mts|mjs|js|css|html|json|svg)$/;
const DRIVER = /^packages\/drivers\/src\/([^/]+)\//;
const MAY = [
  /(^|\/)(fixtures|test)\//,
  /^packages\/agents\//,
  // The list of drivers has to import each driver by folder name.
  /^packages\/drivers\/src\/known-(drivers|histories)\.ts$/,
  /^packages\/drivers\/src\/setup\/known-setups\.ts$/,
  /^scripts\/checks\/(agent-names|sdk-dependencies)\.mjs$/,
];

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkAgentNames(root) {
  const files = listFiles(root, ['packages', 'scripts'], CHECKED);
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    if (MAY.some((pattern) => pattern.test(file)) || isAgentsOwn(file)) continue;
    if (file.search(WORDS) >= 0) problems.push(`${file}: the file name contains the name of an agent`);
    const text = readText(root, file);
    for (const match of text.matchAll(WORDS)) {
      problems.push(`${file}:${lineAt(text, match.index)} names an agent ("${match[0]}")`);
    }
  }
  return verdict(files.length, problems);
}

/** The kit is shared by all drivers, so it does not belong to an agent. */
function isAgentsOwn(/** @type {string} */ file) {
  const folder = DRIVER.exec(file)?.[1];
  return folder !== undefined && folder !== 'kit';
}
