/**
 * Compares two states: which entries changed, where each one is, and the visible order. Frozen chunks are compared
 * by identity, so a live delta costs one chunk and an older page its own entries, whatever the length of the
 * conversation.
 */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import {
  type Difference,
  differencesOf,
  entriesFrom,
  entryAt,
} from '@tugdeck/protocol/conversation/entry-store';
import { type Conversation, EMPTY, isShown } from '@tugdeck/protocol/conversation/state';

export class EntryOrder {
  #state: Conversation = EMPTY;
  #order: readonly string[] = [];
  readonly #seqs = new Map<string, number>();

  /** The same array while nothing was added, removed or moved. */
  get order(): readonly string[] {
    return this.#order;
  }

  entry(id: string): Entry | undefined {
    const seq = this.#seqs.get(id);
    return seq === undefined ? undefined : entryAt(this.#state.entries, seq);
  }

  /** Returns the ids of entries that are not the same object as before. */
  update(next: Conversation): ReadonlySet<string> {
    const before = this.#state;
    const differences = differencesOf(before.entries, next.entries);
    const changed = new Set<string>();
    for (const { was } of differences) {
      if (!was) continue;
      changed.add(was.id);
      if (this.#seqs.get(was.id) === was.seq) this.#seqs.delete(was.id);
    }
    for (const { now } of differences) {
      if (!now) continue;
      changed.add(now.id);
      this.#seqs.set(now.id, now.seq);
    }
    this.#state = next;
    this.#reorder(before, next, differences);
    return changed;
  }

  #reorder(before: Conversation, next: Conversation, differences: readonly Difference[]): void {
    const moved = differences.filter(({ was, now }) => visibleId(was) !== visibleId(now));
    if (moved.length === 0 && before.from === next.from) return;
    const added = moved.flatMap(({ now }) => visibleId(now) ?? []);
    const onlyAtEnd = moved.every(({ was, now }) => !was && now !== undefined && now.seq >= before.nextSeq);
    if (onlyAtEnd && before.from === next.from) {
      this.#order = [...this.#order, ...added];
      return;
    }
    const onlyBefore = moved.every(({ was, now }) => ((was ?? now)?.seq ?? 0) < before.from);
    if (onlyBefore && next.from < before.from && next.nextSeq === before.nextSeq) {
      const older: string[] = [];
      for (const entry of entriesFrom(next.entries, next.from)) {
        if (entry.seq >= before.from) break;
        if (isShown(entry)) older.push(entry.id);
      }
      if (older.length > 0) this.#order = [...older, ...this.#order];
      return;
    }
    const order: string[] = [];
    for (const entry of entriesFrom(next.entries, next.from)) {
      if (isShown(entry)) order.push(entry.id);
    }
    const same = order.length === this.#order.length && order.every((id, at) => id === this.#order[at]);
    if (!same) this.#order = order;
  }
}

function visibleId(entry: Entry | undefined): string | undefined {
  return entry && isShown(entry) ? entry.id : undefined;
}
