/** The changes between two trees of a session, with what the first tree could not contain. */
import type { Shadow } from '../shadow.ts';
import { ignoredThen, isIgnoreFile } from './guards.ts';
import type { TreePair } from './own-spans.ts';
import { type Span, spanBetween } from './versions.ts';

export async function spanOf(shadow: Shadow, pair: TreePair): Promise<Span> {
  const span = await spanBetween(shadow, pair.start, pair.end);
  const leftOut = new Set(pair.leftOut);
  const ignored = await ignoredBefore(shadow, pair, span);
  if (leftOut.size === 0 && ignored.size === 0) return span;
  const unseen = (path: string) =>
    leftOut.has(path) ? 'left-out' : ignored.has(path) ? 'ignored' : undefined;
  return new Map([...span].map(([path, change]) => [path, { ...change, unseen: unseen(path) }]));
}

/** Files that are new in the second tree, but may only have been ignored when the first one was recorded. */
async function ignoredBefore(shadow: Shadow, { start, writers }: TreePair, span: Span): Promise<Set<string>> {
  const mayDiffer = writers === 'two' || (writers === 'one' && [...span.keys()].some(isIgnoreFile));
  const created = mayDiffer ? [...span].filter(([, change]) => !change.start).map(([path]) => path) : [];
  return created.length === 0 ? new Set() : ignoredThen(shadow, start, created);
}
