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
