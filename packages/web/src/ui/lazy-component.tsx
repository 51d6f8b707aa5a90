/**
 * A component whose code is not part of the first load: fetched when it is first drawn, or before that, once the page
 * has come to rest. Where it is there already it is drawn at once.
 */
import { type ComponentType, Suspense, use } from 'react';

const waiting = new Set<() => void>();
const FIRST_MS = 500;
const LONGEST_MS = 5_000;

/** The server may be away just now: a part that does not come must not take the page with it. */
async function retry<T>(load: () => Promise<T>): Promise<T> {
  for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, LONGEST_MS)) {
    try {
      return await load();
    } catch (error) {
      console.warn('a part of the page did not come', error);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

export function lazyComponent<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loading: Promise<ComponentType<P>> | undefined;
  const start = () => {
    waiting.delete(start);
    if (loading) return loading;
    const promise = retry(load);
    // The marks by which React reads a promise at once that is settled before it is first used.
    promise.then((value) => Object.assign(promise, { status: 'fulfilled', value }));
    loading = promise;
    return promise;
  };
  waiting.add(start);
  const Inner = (props: P) => {
    const View = use(start());
    return <View {...props} />;
  };
  return function LazyComponent(props: P) {
    return (
      <Suspense>
        <Inner {...props} />
      </Suspense>
    );
  };
}

/** Fetches what was not needed yet. */
export function preloadLazyComponents(): void {
  for (const start of [...waiting]) start();
}
