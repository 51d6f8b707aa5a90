/**
 * Where the page can be installed (N51): with TLS and its own host name. Not at an address or `localhost`, which other
 * programs share: their service workers are removed, so ours could not stay either (X30).
 */
export const WORKER = '/worker.js';

const NAME = /^https:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?$/;

/** `origin` as a browser writes it. */
export function isInstallable(origin: string): boolean {
  const name = NAME.exec(origin)?.[1];
  return name !== undefined && !/\.\d+$/.test(name) && !name.endsWith('.localhost');
}
