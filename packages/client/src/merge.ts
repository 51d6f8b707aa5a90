/**
 * How a loaded window takes in a snapshot without losing the older pages it holds (M3). Pure. Entries that
 * did not change keep their identity, so that only what changed is drawn again.
 */
import { type Entry, isOpen } from '@tugdeck/protocol/conversation/entries';
import { entryAt, withEntry } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { fromSnapshot, PAGE, type Snapshot } from '@tugdeck/protocol/conversation/window';
import { stableText } from '@tugdeck/protocol/ids';

/** With more entries than this between what is held and the snapshot, the user starts from the end again. */
const MAX_GAP = 10 * PAGE;

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface MergedSnapshot {
  readonly state: Conversation;
  /**
   * Entries kept from before that may have changed since, and those between them and the snapshot: to be
   * read. The window grows back over them page by page.
   */
  readonly stale: Range | undefined;
}

export function mergeSnapshot(known: Conversation, snapshot: Snapshot): MergedSnapshot {
  const fresh = fromSnapshot(snapshot);
  // The session went back, or is told by somebody else: what we hold is of a past that did not happen.
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

/** Of two copies the higher `rev` wins; streamed text does not count in it, so open ones are compared. */
function isAsGood(ours: Entry, theirs: Entry): boolean {
  if (ours.id !== theirs.id || ours.rev < theirs.rev) return false;
  return ours.rev > theirs.rev || !isOpen(theirs) || stableText(ours) === stableText(theirs);
}
