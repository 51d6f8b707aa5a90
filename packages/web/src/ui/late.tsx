/**
 * A component whose code is not part of the first load: fetched when it is first drawn, or before that, once the page
 * has come to rest. Where it is there already it is drawn at once.
 */
import { type ComponentType, Suspense, use } from 'react';

const waiting = new Set<() => void>();

export function late<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let view: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  const start = () => {
    waiting.delete(start);
    loading ??= load().then((loaded) => {
      view = loaded;
      return loaded;
    });
    return loading;
  };
  waiting.add(start);
  const Inner = (props: P) => {
    const View = view ?? use(start());
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
