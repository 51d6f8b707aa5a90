// We implement the agents' protocols ourselves: their SDKs come with their own process handling, versions and
// licenses. The schemas of the Agent Client Protocol are the exception.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { listFiles, readText, verdict } from './tree.mjs';

const FORBIDDEN =
  /(^|\/)(openai|ai|langchain)$|^@(anthropic-ai|openai|opencode-ai|ai-sdk|langchain)\/|^@google\/(genai|generative-ai|gemini)|(^|[/-])(claude|anthropic|codex|gemini|opencode)([/-]|$)/i;
/** Real agents for tests are installed outside the workspaces, with their own lockfile. */
const APART = 'testkit/agents/';

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkSdkDependencies(root) {
  const manifests = listFiles(root, ['packages', 'testkit', 'bench', 'e2e'], /(^|\/)package\.json$/).filter(
    (file) => !file.startsWith(APART) && !file.includes('/fixtures/'),
  );
  if (existsSync(path.join(root, 'package.json'))) manifests.push('package.json');
  /** @type {string[]} */
  const problems = [];
  for (const file of manifests) {
    const manifest = JSON.parse(readText(root, file));
    for (const field of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']) {
      for (const name of Object.keys(manifest[field] ?? {})) {
        if (FORBIDDEN.test(name)) problems.push(`${file}: ${field} has ${name}, an agent's SDK`);
      }
    }
  }
  if (existsSync(path.join(root, 'package-lock.json'))) {
    for (const where of Object.keys(JSON.parse(readText(root, 'package-lock.json')).packages)) {
      const name = where.split('node_modules/').at(-1) ?? '';
      if (where.includes('node_modules/') && FORBIDDEN.test(name))
        problems.push(`package-lock.json: ${name}`);
    }
  }
  return verdict(manifests.length, problems);
}
