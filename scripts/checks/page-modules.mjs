// Checks the modules of the built page: an accidental import of server code would ship it to the browser. Reads
// the module list written by the build, so it runs after a build.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readText, verdict } from './tree.mjs';

const LIST = 'dist/web-modules.json';
const OURS = /^(?:\.\.\/)*(packages|testkit|bench|e2e)\/([^/]+)\//;
const MAY = ['protocol', 'client', 'web'];

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkPageModules(root) {
  if (!existsSync(path.join(root, LIST)))
    return { checked: 0, problems: [`${LIST} is missing: build first`] };
  /** @type {string[]} */
  const modules = JSON.parse(readText(root, LIST));
  /** @type {string[]} */
  const problems = [];
  for (const id of modules) {
    const [, , name = null] = OURS.exec(id) ?? [];
    if (name !== null && !MAY.includes(name)) problems.push(`${id} is in the page`);
    if (id.includes('__vite-browser-external')) problems.push(`a Node module is in the page (${id})`);
  }
  return verdict(modules.filter((id) => OURS.test(id)).length, problems);
}
