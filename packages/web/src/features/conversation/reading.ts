/**
 * Navigation in one conversation (C16): the jump target and whether find is open. The list scrolls there, because
 * only it knows what is rendered. Loads missing pages.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Readable } from '@tugdeck/client/store';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { cell } from '../../kit/cell.ts';
import { loadUntil } from './load-until.ts';

export interface Target {
  readonly id: string;
  /** Distinguishes two jumps to the same entry. */
  readonly count: number;
}

export interface Reading {
  readonly isFinding: Readable<boolean>;
  /** The find query, for highlighting. */
  readonly query: Readable<string>;
  /** The entry to scroll to. */
  readonly target: Readable<Target | undefined>;
  setFinding(isFinding: boolean): void;
  setQuery(query: string): void;
  /** False if the entry does not exist. */
  jumpTo(id: string): Promise<boolean>;
  /** The loaded visible entries, in order. */
  entries(): Entry[];
  /** Loads older pages until `isThere`; resolves with whether it holds. */
  load(isThere: () => boolean, signal: AbortSignal, onPage?: () => void): Promise<boolean>;
  /** Copies the whole conversation. */
  copyAll(): Promise<void>;
}

export function createReading(channel: ConversationChannel): Reading {
  const isFinding = cell(false);
  const query = cell('');
  const target = cell<Target | undefined>(undefined);
  let jump = new AbortController();

  const entries = () => {
    const { order } = channel.view.get();
    return order.map((id) => channel.find(id)).filter((entry): entry is Entry => entry !== undefined);
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
        const { conversationMarkdown } = await import('@tugdeck/protocol/export/markdown');
        return new Blob([conversationMarkdown(entries())], { type: 'text/plain' });
      });
      // Passes a promise, because the permission of the click expires while pages load.
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    },
  };
}
