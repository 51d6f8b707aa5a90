/** The fields of each kind of entry, taken from the schemas. Used by the fold. */
import { type EntryKind, entrySchema } from './entries.ts';

const FIELDS_OF_KIND: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  entrySchema.options.map(({ shape }) => [shape.kind.value, new Set(Object.keys(shape))]),
);

/** Whether entries of this kind have the field. Other fields would be lost in a snapshot. */
export function hasField(kind: EntryKind, field: string): boolean {
  return FIELDS_OF_KIND.get(kind)?.has(field) ?? false;
}
