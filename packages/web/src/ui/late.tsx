/**
 * A component whose code is not part of the first load: fetched when it is first drawn, or before that, once the page
 * has come to rest. Where it is there already it is drawn at once.
 */
import { type ComponentType, Suspense, use } from 'react';

const waiting = new Set<() => void>();

export function late<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loading: Promise<ComponentType<P>> | undefined;
  const start = () => {
    waiting.delete(start);
    if (loading) return loading;
    const promise = load();
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
  return function Late(props: P) {
    return (
      <Suspense>
        <Inner {...props} />
      </Suspense>
    );
  };
}

/** Fetches what was not needed yet. */
export function loadLate(): void {
  for (const start of [...waiting]) start();
}
