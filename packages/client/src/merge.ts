/**
 * Merges a snapshot into a loaded window without losing its older pages (M3). Pure. Unchanged entries keep their
 * identity, so that only changed ones are rendered again.
 */
import { type Entry, isOpen } from '@tugdeck/protocol/conversation/entries';
import { entryAt, withEntry } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { fromSnapshot, PAGE, type Snapshot } from '@tugdeck/protocol/conversation/window';
import { stableText } from '@tugdeck/protocol/ids';

/** With a larger gap between the window and the snapshot, the window starts again at the end. */
const MAX_GAP = 10 * PAGE;

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface MergedSnapshot {
  readonly state: Conversation;
  /**
   * Entries that may have changed, and those between them and the snapshot. They have to be read again, page by
   * page.
   */
  readonly stale: Range | undefined;
}

export function mergeSnapshot(known: Conversation, snapshot: Snapshot): MergedSnapshot {
  const fresh = fromSnapshot(snapshot);
  // The session was rewound or comes from another source: the known entries are obsolete.
  if (fresh.v < known.v || fresh.edition !== known.edition) return { state: fresh, stale: undefined };
  let entries = known.entries;
  const open: [string, number][] = [];
  for (const theirs of snapshot.entries) {
    const ours = entryAt(entries, theirs.seq);
    const entry = ours && isAsGood(ours, theirs) ? ours : theirs;
    if (entry !== ours) entries = withEntry(entries, entry);
    if (isOpen(entry)) open.push([entry.id, entry.seq]);
  }
  const held = fresh.from - known.nextSeq <= MAX_GAP ? known.from : fresh.from;
  const joins = known.nextSeq >= fresh.from;
  const from = joins ? Math.min(held, fresh.from) : fresh.from;
  const state: Conversation = {
    ...fresh,
    entries,
    open: Object.fromEntries(open),
    from,
    receipts: fresh.receipts.length > 0 ? fresh.receipts : known.receipts,
    ahead: known.ahead.filter(({ v }) => v > fresh.v),
  };
  const mayDiffer = fresh.v > known.v && known.nextSeq > known.from && held < fresh.from;
  return { state, stale: mayDiffer ? { from: held, to: fresh.from } : undefined };
}

/** The copy with the higher `rev` wins. Streamed text does not change `rev`, so open entries are compared. */
function isAsGood(ours: Entry, theirs: Entry): boolean {
  if (ours.id !== theirs.id || ours.rev < theirs.rev) return false;
  return ours.rev > theirs.rev || !isOpen(theirs) || stableText(ours) === stableText(theirs);
}
