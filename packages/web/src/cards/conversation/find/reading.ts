/**
 * Finding one's way in one conversation (C16): where to go, whether find is open. Owns what is asked for; the list
 * goes there, because only it knows what is drawn. Reaches what is not loaded by loading it.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Readable } from '@tugdeck/client/store';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { cell } from '../../../ui/cell.ts';
import { entryMap } from '../rows.ts';
import { loadUntil } from './load-until.ts';

export interface Target {
  readonly id: string;
  /** Two jumps to the same entry are two jumps. */
  readonly count: number;
}

export interface Reading {
  readonly isFinding: Readable<boolean>;
  /** What find looks for, to be tinted where it is drawn. */
  readonly query: Readable<string>;
  /** Where the list shall go. */
  readonly target: Readable<Target | undefined>;
  setFinding(isFinding: boolean): void;
  setQuery(query: string): void;
  /** False when there is no such entry. */
  jumpTo(id: string): Promise<boolean>;
  /** The loaded entries that are drawn, in order. */
  entries(): Entry[];
  /** Loads older pages; resolves when one of them brought what is asked for, or none did. */
  load(isThere: () => boolean, signal: AbortSignal, onPage?: () => void): Promise<boolean>;
  /** All of it, from the first entry on. */
  copyAll(): Promise<void>;
}

export function createReading(channel: ConversationChannel): Reading {
  const isFinding = cell(false);
  const query = cell('');
  const target = cell<Target | undefined>(undefined);
  let jump = new AbortController();

  const entries = () => {
    const { conversation, order } = channel.view.get();
    const known = entryMap(conversation.entries, conversation.from);
    return order.map((id) => known.get(id)).filter((entry): entry is Entry => entry !== undefined);
  };
  const load: Reading['load'] = (isThere, signal, onPage) =>
    loadUntil(channel, isThere, { signal, ...(onPage ? { onPage } : {}) });

  return {
    isFinding,
    query,
    target,
    entries,
    load,
    setFinding: (next) => isFinding.set(next),
    setQuery: (next) => query.set(next),
    async jumpTo(id) {
      jump.abort();
      jump = new AbortController();
      const isFound = await load(() => channel.view.get().order.includes(id), jump.signal);
      if (isFound) target.set({ id, count: (target.get()?.count ?? 0) + 1 });
      return isFound;
    },
    async copyAll() {
      const text = load(() => false, new AbortController().signal).then(async () => {
        const { conversationMarkdown } = await import('@tugdeck/protocol/written/markdown');
        return new Blob([conversationMarkdown(entries())], { type: 'text/plain' });
      });
      // The promise is handed over, because the click that allows it would be forgotten after the loading.
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    },
  };
}
