/** Loads older pages until a condition holds, nothing older is left, or the signal aborts. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { pagesAtOnce } from './older-loader.ts';

/** Maximum number of failed or empty pages in a row, which happen during a reconnect. */
const MAX_IDLE = 3;

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onPage?: () => void;
}

export async function loadUntil(
  channel: ConversationChannel,
  isThere: () => boolean,
  { signal, onPage }: LoadOptions,
): Promise<boolean> {
  let idle = 0;
  while (!isThere()) {
    const before = channel.view.get();
    if (signal.aborted || !before.hasOlder || idle >= MAX_IDLE) return false;
    await loadPages(channel);
    // Views are notified once per frame.
    await new Promise((done) => requestAnimationFrame(done));
    idle = channel.view.get().order.length === before.order.length ? idle + 1 : 0;
    onPage?.();
  }
  return true;
}

/** Loads as many older pages as are worth one drawing of the list. */
export async function loadPages(channel: ConversationChannel): Promise<void> {
  const pages = pagesAtOnce(channel.view.get().order.length);
  for (let page = 0; page < pages; page += 1) await channel.loadOlder();
}
