/**
 * Version policy for agents (A13): refused below the oldest working version, a warning below the oldest tested one.
 * Pure; an unreadable version is accepted.
 */
import type { KnownAgent } from './catalog.ts';

export type Verdict =
  | { readonly use: true; readonly warning?: string }
  | { readonly use: false; readonly reason: string };

export function checkVersion(
  { label, versions, install }: Pick<KnownAgent, 'label' | 'versions' | 'install'>,
  version: string | undefined,
): Verdict {
  const found = parseVersion(version);
  if (!found) return { use: true };
  const update = `Update it with \`${install}\`.`;
  if (isOlder(found, versions.oldestWorking)) {
    const reason = `${label} ${version} is too old. Version ${versions.oldestWorking} or newer is required. ${update}`;
    return { use: false, reason };
  }
  if (isOlder(found, versions.oldestTested)) {
    const warning = `${label} ${version} is older than the oldest tested version (${versions.oldestTested}), so some features may not work. ${update}`;
    return { use: true, warning };
  }
  return { use: true };
}

function parseVersion(version: string | undefined): number[] | undefined {
  const numbers = /(\d+)\.(\d+)\.(\d+)/.exec(version ?? '');
  return numbers ? numbers.slice(1).map(Number) : undefined;
}

function isOlder(found: readonly number[], than: string): boolean {
  const other = parseVersion(than) ?? [];
  for (const [index, number] of found.entries()) {
    const against = other[index] ?? 0;
    if (number !== against) return number < against;
  }
  return false;
}
