/**
 * Whether a change may be made in the repository of a project that nobody trusts (X6): staging and switching run its
 * filters as the user's own `git` would, and a commit its hooks, so where it has any the user is asked to trust it first.
 * With its filters off, staging would write other bytes than the user's `git`; so it is refused, not made harmless.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { RepositoryPlace } from '@tugdeck/trees/find-repository';
import { isHarmless } from '@tugdeck/trees/guard/config-keys';
import { configBytes, parseConfig } from '@tugdeck/trees/guard/local-config';

const HINT = 'Trust the project when a session of it opens or by tugdeck DIR, or use git in a terminal.';
const SHOWN = 60;
/** What `local/git.ts` overrides for every call but a commit. Tools that manage hooks set the first. */
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
  if (risky) throw untrusted(`sets ${risky.key.slice(0, SHOWN)}`);
  const hook = runsHooks ? await hookOf(place.commonDirectory) : undefined;
  if (hook !== undefined) throw untrusted(`has a hook (${hook.slice(0, SHOWN)})`);
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
