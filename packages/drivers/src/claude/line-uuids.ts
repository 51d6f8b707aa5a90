/** The messages that a line names by their uuids. Pure. */
import { listOf, recordOf, type SystemLine } from './wire.ts';

/** What a compaction kept. */
export function keptUuids(line: SystemLine): ReadonlySet<string> {
  const { uuids, all_uuids } = recordOf(recordOf(line.compact_metadata).preserved_messages);
  return new Set([...listOf(uuids), ...listOf(all_uuids)].map(String));
}

/** Prompts of ours that a line is about. */
export function uuidsOf(line: {
  readonly user_message_uuid?: string | undefined;
  readonly user_message_uuids?: string[] | undefined;
}): readonly string[] {
  return line.user_message_uuids ?? (line.user_message_uuid === undefined ? [] : [line.user_message_uuid]);
}
