/** A promise with its resolve and reject functions. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export function defer(): Deferred {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  // Rejecting without a waiting caller must not be an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
