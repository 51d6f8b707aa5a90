/**
 * Loads segments, directly from disk or through a small bounded cache for callers that page a lot. A sealed segment
 * never changes; the last one only grows.
 */

import type { Cooperative } from './cooperative.ts';
import type { SegmentFiles } from './files.ts';
import { continueSegment, foldSegment, type Segment } from './segment.ts';

export type Load = (directory: string, number: number) => Cooperative<Segment>;

export function uncached(files: SegmentFiles): Load {
  return (directory, number) => foldSegment(files, directory, number);
}

/** Keeps the `limit` most recently used segments. */
export function createSegmentCache(files: SegmentFiles, limit = 4): Load {
  const kept = new Map<string, Segment>();
  return function* load(directory, number) {
    const key = `${directory}\0${number}`;
    const known = kept.get(key);
    const segment = yield* known
      ? continueSegment(files, directory, known)
      : foldSegment(files, directory, number);
    kept.delete(key);
    kept.set(key, segment);
    const [oldest] = kept.keys();
    if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
    return segment;
  };
}
