/** Loads older pages until something is there, or nothing older is left, or nobody wants it any more. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';

/** A page may be refused or come empty while the link is renewed: not forever. */
const MOST_IDLE = 3;

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
    if (signal.aborted || !before.hasOlder || idle >= MOST_IDLE) return false;
    await channel.loadOlder();
    // The view is told once per frame.
    await new Promise((done) => requestAnimationFrame(done));
    idle = channel.view.get().order.length === before.order.length ? idle + 1 : 0;
    onPage?.();
  }
  return true;
}
