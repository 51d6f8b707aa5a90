/**
 * After a reload, the stored position may be in a page that is not loaded. Loads pages until its row exists and
 * scrolls to it. Scrolling by the user cancels this.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { loadUntil } from '../../features/conversation/load-until.ts';

export interface SeekOptions {
  readonly channel: ConversationChannel;
  readonly scroller: HTMLElement;
  /** An entry of the row. */
  readonly entry: string;
  /** Scrolls to the row and returns whether it is in place; called each frame until it is. */
  goThere(): boolean;
  /** Called once at the end, unless the returned function stopped it. */
  onEnd(): void;
}

const HANDS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
/** Maximum frames to wait for measurement, and how many in a row the position must be right. */
const MAX_FRAMES = 60;
const STILL_FRAMES = 4;

export function seekPlace({ channel, scroller, entry, goThere, onEnd }: SeekOptions): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const end = () => {
    if (signal.aborted) return;
    stop.abort();
    onEnd();
  };
  for (const hand of HANDS) scroller.addEventListener(hand, end, { passive: true, signal });
  const settle = (left: number, still: number) => {
    if (signal.aborted) return;
    const next = goThere() ? still + 1 : 0;
    if (left === 0 || next === STILL_FRAMES) end();
    else requestAnimationFrame(() => settle(left - 1, next));
  };
  loadUntil(channel, () => channel.view.get().order.includes(entry), { signal }).then(
    (isThere) => (isThere ? settle(MAX_FRAMES, 0) : end()),
    end,
  );
  return () => stop.abort();
}
