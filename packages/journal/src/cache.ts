/**
 * Loads segments, directly from disk or through a small bounded cache for callers that page a lot. A sealed segment
 * never changes; the last one only grows.
 */

import type { Cooperative } from '@tugdeck/local/cooperative';
import type { SegmentFiles } from './files.ts';
import { continueSegment, foldSegment, type Segment } from './segment.ts';

export type Load = (directory: string, number: number) => Cooperative<Segment>;

export function uncached(files: SegmentFiles): Load {
  return (directory, number) => foldSegment(files, directory, number);
}

/** Keeps the `limit` most recently used segments. */
export function createSegmentCache(files: SegmentFiles, limit = 4): Load {
  const cached = new Map<string, Segment>();
  return function* load(directory, number) {
    const key = `${directory}\0${number}`;
    const known = cached.get(key);
    const segment = yield* known
      ? continueSegment(files, directory, known)
      : foldSegment(files, directory, number);
    cached.delete(key);
    cached.set(key, segment);
    const [oldest] = cached.keys();
    if (cached.size > limit && oldest !== undefined) cached.delete(oldest);
    return segment;
  };
}
