/** Differences between two versions of a project's configuration, for the trust question (X6). Pure. */
import type { ConfigItem } from '@tugdeck/protocol/trust/project-config';
import type { Finding } from './findings.ts';

/** The current items, each with how it changed, followed by removed ones. */
export function withChanges(now: readonly Finding[], before: readonly Finding[] | undefined): ConfigItem[] {
  if (!before) return now.map(itemOf);
  const known = new Set(before.map(keyOf));
  const previousByPlace = new Map(before.map((finding) => [placeOf(finding), finding]));
  const currentKeys = new Set(now.map(keyOf));
  const currentPlaces = new Set(now.map(placeOf));
  const items = now.map((finding): ConfigItem => {
    if (known.has(keyOf(finding))) return itemOf(finding);
    const was = previousByPlace.get(placeOf(finding));
    if (!was) return { ...itemOf(finding), change: 'added' };
    const before = was.text === finding.text ? {} : { before: was.text };
    return { ...itemOf(finding), change: 'changed', ...before };
  });
  const gone = before.filter(
    (finding) => !currentKeys.has(keyOf(finding)) && !currentPlaces.has(placeOf(finding)),
  );
  return [...items, ...gone.map((finding): ConfigItem => ({ ...itemOf(finding), change: 'removed' }))];
}

function itemOf({ kind, path, text }: Finding): ConfigItem {
  return { kind, path, text };
}

function placeOf({ kind, path, name }: Finding): string {
  return JSON.stringify([kind, path, name]);
}

function keyOf(finding: Finding): string {
  return JSON.stringify([finding.kind, finding.path, finding.name, finding.digest]);
}
