/** Data taken apart for the tree. Pure. */
import { plural } from '../../../ui/format.ts';

export interface JsonPart {
  readonly name: string;
  readonly value: unknown;
}

/** Opened by itself: what a glance can take in. */
const GLANCE = 12;
const DEEPEST_OPEN = 2;

/** The parts of a list or an object; nothing of a single value. */
export function partsOf(value: unknown): readonly JsonPart[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const parts = Object.entries(value).map(([name, part]): JsonPart => ({ name, value: part }));
  return parts.length === 0 ? undefined : parts;
}

export function isOpenAtFirst(parts: readonly JsonPart[], depth: number): boolean {
  return depth === 0 || (depth < DEEPEST_OPEN && parts.length <= GLANCE);
}

export function summaryOf(value: unknown): string {
  return Array.isArray(value)
    ? `[${plural(value.length, 'item')}]`
    : `{${plural(Object.keys(value ?? {}).length, 'key')}}`;
}
