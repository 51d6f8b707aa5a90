/**
 * Loads older entries because they are near, not because somebody scrolls: at the top of a scroller no event comes, so
 * the place is looked at again after each page.
 */
export interface OlderLoaderOptions {
  hasOlder(): boolean;
  /** Whether the top of what is loaded is, or will soon be, in view. */
  isNear(): boolean;
  load(): Promise<void>;
  /** How many entries are loaded. */
  count(): number;
}

export interface OlderLoader {
  /** To be called whenever the place, the rows or their sizes changed. */
  look(): void;
  end(): void;
}

/** A page that fails or brings nothing (the link is being renewed) is asked for again after this time. */
const RETRY_MS = 1_000;

/**
 * Older entries are asked for this far before the top is reached. At the very top a wheel that still turns wins over
 * the correction of the place, and the list would jump by a page: so they must be there before.
 */
const AHEAD = 3_000;

/** Who follows the end needs no more than fills the screen: what is above may be forgotten again. */
export function isTopNear(scroller: HTMLElement | null, isFollowing: boolean): boolean {
  // A card that is hidden has no height.
  if (!scroller || scroller.clientHeight === 0) return false;
  return isFollowing ? scroller.scrollHeight <= scroller.clientHeight : scroller.scrollTop <= AHEAD;
}

export function createOlderLoader({ hasOlder, isNear, load, count }: OlderLoaderOptions): OlderLoader {
  let isLoading = false;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const done = () => {
    isLoading = false;
    look();
  };
  const retry = () => {
    timer = setTimeout(done, RETRY_MS);
  };
  const look = () => {
    if (isOver || isLoading || !hasOlder() || !isNear()) return;
    isLoading = true;
    const before = count();
    // Before the new rows are drawn and the place was corrected it still reads as the top.
    const settle = () =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => (count() === before && hasOlder() ? retry() : done())),
      );
    load().then(settle, retry);
  };
  return {
    look,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
