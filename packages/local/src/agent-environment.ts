/**
 * The environment of agents and terminals (L9): that of the `tugdeck` call, without variables set by npm, by us, or
 * by an enclosing agent.
 */
import { delimiter } from 'node:path';
import { absoluteFolders } from './absolute-path.ts';

const REMOVED = [/^npm_/i, /^NODE_OPTIONS$/, /^NODE_PATH$/, /^INIT_CWD$/, /^TUGDECK_/];

/** `enclosing` lists the variables that an agent sets for its child processes, from the catalog. */
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
  if (kept.PATH !== undefined) kept.PATH = absoluteFolders(withoutOwnFolders(kept.PATH));
  return kept;
}

/** Drops the `node_modules/.bin` folders that npm adds: an agent must not find our build tools there. */
function withoutOwnFolders(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/](\.bin|npm[\\/]node_modules)/.test(`${folder}/`))
    .filter((folder) => !/node-gyp-bin[\\/]?$/.test(folder))
    .join(delimiter);
}
