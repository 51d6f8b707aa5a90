/**
 * The environment that agents and terminals get (L9): that of the `tugdeck` call, less what npm, we, or an
 * enclosing agent put there.
 */
import { delimiter } from 'node:path';

const REMOVED = [/^npm_/i, /^NODE_OPTIONS$/, /^NODE_PATH$/, /^INIT_CWD$/, /^TUGDECK_/];

/** `enclosing` names what an agent leaves in the environment of its own children, from the catalogue. */
export function agentEnvironment(
  environment: NodeJS.ProcessEnv,
  enclosing: readonly RegExp[] = [],
): Record<string, string> {
  const removed = [...REMOVED, ...enclosing];
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || removed.some((pattern) => pattern.test(name))) continue;
    kept[name] = value;
  }
  if (kept.PATH !== undefined) kept.PATH = withoutOwnFolders(kept.PATH);
  return kept;
}

/** npm puts `node_modules/.bin` folders in front; an agent must not find our build tools there. */
function withoutOwnFolders(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/](\.bin|npm[\\/]node_modules)/.test(`${folder}/`))
    .filter((folder) => !/node-gyp-bin[\\/]?$/.test(folder))
    .join(delimiter);
}
