/**
 * How readers get at segments: straight from disk, or through a small bounded cache for one who pages a lot
 * (a sealed segment never changes, the last one only grows). Holds a handful of segments, never a history.
 */
import type { Files } from './files.ts';
import { type Segment, segmentSteps, stepsOn } from './segment.ts';
import type { Steps } from './steps.ts';

export type Load = (directory: string, number: number) => Steps<Segment>;

export function uncached(files: Files): Load {
  return (directory, number) => segmentSteps(files, directory, number);
}

/** Keeps the last `limit` segments that were asked for. */
export function createSegmentCache(files: Files, limit = 4): Load {
  const kept = new Map<string, Segment>();
  return function* load(directory, number) {
    const key = `${directory}\0${number}`;
    const known = kept.get(key);
    const segment = yield* known ? stepsOn(files, directory, known) : segmentSteps(files, directory, number);
    kept.delete(key);
    kept.set(key, segment);
    const [oldest] = kept.keys();
    if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
    return segment;
  };
}
