/** Which fields the entries of a kind have, read from their schemas. For the fold. */
import { type EntryKind, entrySchema } from './entries.ts';

const FIELDS_OF_KIND: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  entrySchema.options.map(({ shape }) => [shape.kind.value, new Set(Object.keys(shape))]),
);

/** Whether entries of this kind have such a field: what others carry would be lost in a snapshot. */
export function hasField(kind: EntryKind, field: string): boolean {
  return FIELDS_OF_KIND.get(kind)?.has(field) ?? false;
}
