/** Splits JSON values for the tree. Pure. */
import { plural } from '../../kit/format.ts';

export interface JsonPart {
  readonly name: string;
  readonly value: unknown;
}

/** Up to this many parts are expanded by default. */
const GLANCE = 12;
const DEEPEST_OPEN = 2;

/** The parts of an array or object; undefined for other values. */
export function partsOf(value: unknown): readonly JsonPart[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const parts = Object.entries(value).map(([name, part]): JsonPart => ({ name, value: part }));
  return parts.length === 0 ? undefined : parts;
}

export function isExpandedAtFirst(parts: readonly JsonPart[], depth: number): boolean {
  return depth === 0 || (depth < DEEPEST_OPEN && parts.length <= GLANCE);
}

export function summaryOf(value: unknown): string {
  return Array.isArray(value)
    ? `[${plural(value.length, 'item')}]`
    : `{${plural(Object.keys(value ?? {}).length, 'key')}}`;
}
