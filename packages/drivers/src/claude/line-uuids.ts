/** Message uuids in a line. Pure. */
import { listOf, recordOf } from '../kit/fields.ts';
import type { SystemLine } from './wire.ts';

/** Messages kept by a compaction. */
export function keptUuids(line: SystemLine): ReadonlySet<string> {
  const { uuids, all_uuids } = recordOf(recordOf(line.compact_metadata).preserved_messages);
  return new Set([...listOf(uuids), ...listOf(all_uuids)].map(String));
}

/** Our prompts that a line refers to. */
export function uuidsOf(line: {
  readonly user_message_uuid?: string | undefined;
  readonly user_message_uuids?: string[] | undefined;
}): readonly string[] {
  return line.user_message_uuids ?? (line.user_message_uuid === undefined ? [] : [line.user_message_uuid]);
}
