/**
 * Decides whether an untrusted project's repository may be changed (X6). Staging and switching run its filters, a
 * commit its hooks, as the user's own git would. Turning filters off would stage other bytes than git does, so the
 * change is refused instead.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { RepositoryPlace } from '@tugdeck/trees/find-repository';
import { isHarmless } from '@tugdeck/trees/guard/config-keys';
import { configBytes, parseConfig } from '@tugdeck/trees/guard/local-config';

const HINT =
  'Trust the project when you open a session in it, or run tugdeck --trust DIR. You can also use git in a terminal.';
const MAX_SHOWN = 60;
/** Keys that `local/git.ts` overrides for every call except commits. Hook managers set the first. */
const OVERRIDDEN = new Set([
  'core.hookspath',
  'core.fsmonitor',
  'core.pager',
  'core.editor',
  'diff.external',
]);

export async function checkWritable(place: RepositoryPlace, runsHooks: boolean): Promise<void> {
  const entries = await parseConfig(await configBytes(place));
  const risky = entries.find(({ key }) => !isHarmless(key) && (runsHooks || !OVERRIDDEN.has(key)));
  if (risky) throw untrusted(`sets ${risky.key.slice(0, MAX_SHOWN)}`);
  const hook = runsHooks ? await hookOf(place.commonDirectory) : undefined;
  if (hook !== undefined) throw untrusted(`has a hook (${hook.slice(0, MAX_SHOWN)})`);
}

async function hookOf(commonDirectory: string): Promise<string | undefined> {
  const folder = join(commonDirectory, 'hooks');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => !one.endsWith('.sample'))) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts?.isFile() && (facts.mode & 0o111) !== 0) return name;
  }
  return undefined;
}

function untrusted(why: string): CodedError {
  return new CodedError(
    'GIT_UNSAFE',
    `Nothing was changed: this project is not trusted, and its repository ${why}.`,
    HINT,
  );
}
