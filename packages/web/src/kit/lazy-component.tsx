/**
 * A component that is not part of the first load: loaded when first rendered, or when the page becomes idle. If
 * already loaded, it renders at once.
 */
import { type ComponentType, Suspense, use } from 'react';

const waiting = new Set<() => Promise<unknown>>();
const FIRST_MS = 500;
const MAX_MS = 5_000;

/** Retries forever: the server may be restarting, and a missing part must not break the page. */
async function retry<T>(load: () => Promise<T>): Promise<T> {
  for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, MAX_MS)) {
    try {
      return await load();
    } catch (error) {
      console.warn('a part of the page could not be loaded', error);
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
    // The fields with which React reads an already settled promise synchronously.
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

/** Loads the components that were not rendered yet; resolves when all are loaded. */
export function preloadLazyComponents(): Promise<unknown> {
  return Promise.all([...waiting].map((start) => start()));
}
