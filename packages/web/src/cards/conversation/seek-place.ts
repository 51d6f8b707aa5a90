/**
 * After a reload: the place that was left may lie in a page that is not loaded yet. Loads pages until its row is there
 * and goes to it. A reader who scrolls meanwhile has chosen another place.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { loadUntil } from './find/load-until.ts';

export interface SeekOptions {
  readonly channel: ConversationChannel;
  readonly scroller: HTMLElement;
  /** An entry of the row. */
  readonly entry: string;
  /** Goes to the row and tells whether it stands where it was left; called in each frame until it does. */
  goThere(): boolean;
  /** Called once, however it ends, unless it was stopped by the returned function. */
  onEnd(): void;
}

const HANDS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
/** Frames in which rows are drawn and measured; in so many in a row the place must be right. */
const MOST_FRAMES = 60;
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
    (isThere) => (isThere ? settle(MOST_FRAMES, 0) : end()),
    end,
  );
  return () => stop.abort();
}
