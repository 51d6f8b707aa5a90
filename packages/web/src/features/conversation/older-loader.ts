/**
 * Loads older entries while the top is near, not on scroll events: at the top no event is fired, so the position is
 * checked again after each page.
 */
export interface OlderLoaderOptions {
  hasOlder(): boolean;
  /** Whether the top of the loaded entries is, or will soon be, visible. */
  isNear(): boolean;
  load(): Promise<void>;
  /** Number of loaded entries. */
  count(): number;
}

export interface OlderLoader {
  /** Call whenever the position, the rows or their sizes changed. */
  check(): void;
  end(): void;
}

/** Retry delay for a page that failed or was empty (during a reconnect). */
const RETRY_MS = 1_000;

/**
 * Pixels from the top at which older entries are loaded. At the very top, a turning wheel overrides the position
 * correction and the list would jump by a page.
 */
const AHEAD = 3_000;

/**
 * Pages to load before the list is drawn again: a tenth of what is loaded, so that reading from the end to the beginning
 * of a long conversation draws it a hundred times and not a thousand times.
 */
export function pagesAtOnce(loaded: number): number {
  return Math.max(1, Math.min(10, Math.floor(loaded / 1_000)));
}

/** While following the end, only a full screen is needed; entries above may be dropped again. */
export function isTopNear(scroller: HTMLElement | null, isFollowing: boolean): boolean {
  // A hidden card has no height.
  if (!scroller || scroller.clientHeight === 0) return false;
  return isFollowing ? scroller.scrollHeight <= scroller.clientHeight : scroller.scrollTop <= AHEAD;
}

export function createOlderLoader({ hasOlder, isNear, load, count }: OlderLoaderOptions): OlderLoader {
  let isLoading = false;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const done = () => {
    isLoading = false;
    check();
  };
  const retry = () => {
    timer = setTimeout(done, RETRY_MS);
  };
  const check = () => {
    if (isOver || isLoading || !hasOlder() || !isNear()) return;
    isLoading = true;
    const before = count();
    // Until the new rows are rendered and the position is corrected, it still reads as the top.
    const settle = () =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => (count() === before && hasOlder() ? retry() : done())),
      );
    load().then(settle, retry);
  };
  return {
    check,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
