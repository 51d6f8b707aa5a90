/** Keeps a scroller at its end while it follows; the rules are in follow.ts, this is their hands. */
import { afterScroll, type Following, type ScrollPlace } from './follow.ts';

export interface Follower {
  place(): Following;
  toEnd(): void;
  stop(): void;
  end(): void;
}

export interface FollowerOptions {
  isFollowing: boolean;
  onChange: (isFollowing: boolean) => void;
}

export function createFollower(scroller: HTMLElement, { isFollowing, onChange }: FollowerOptions): Follower {
  let state: Following = { isFollowing, top: scroller.scrollTop };
  if (!isFollowing) onChange(false);

  const read = (): ScrollPlace => ({
    top: scroller.scrollTop,
    viewport: scroller.clientHeight,
    height: scroller.scrollHeight,
  });
  const set = (next: Following) => {
    const isChanged = next.isFollowing !== state.isFollowing;
    state = next;
    if (isChanged) onChange(next.isFollowing);
  };
  const stick = () => {
    if (!state.isFollowing) return;
    scroller.scrollTop = scroller.scrollHeight;
    state = { isFollowing: true, top: scroller.scrollTop };
  };
  const onScroll = () => set(afterScroll(state, read()));

  const sizes = new ResizeObserver(stick);
  sizes.observe(scroller);
  for (const child of scroller.children) sizes.observe(child);
  scroller.addEventListener('scroll', onScroll, { passive: true });
  stick();

  return {
    place: () => ({ isFollowing: state.isFollowing, top: scroller.scrollTop }),
    toEnd() {
      set({ isFollowing: true, top: scroller.scrollTop });
      stick();
    },
    stop: () => set({ isFollowing: false, top: scroller.scrollTop }),
    end() {
      sizes.disconnect();
      scroller.removeEventListener('scroll', onScroll);
    },
  };
}
