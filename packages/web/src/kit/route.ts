/** The shown session, stored in the URL for reloads. */
import { Listeners, type Readable } from '@tugdeck/client/store';

const PATTERN = /^#\/session\/([\w-]{1,100})(?:\/([^/]{1,1000}))?$/;

export function sessionOfHash(hash: string): string | undefined {
  return PATTERN.exec(hash)?.[1];
}

/** The entry that a link points to. */
export function entryOfHash(hash: string): string | undefined {
  const entry = PATTERN.exec(hash)?.[2];
  if (entry === undefined) return undefined;
  try {
    return decodeURIComponent(entry);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

export function hashOfEntry(session: string, entry: string): string {
  return `#/session/${session}/${encodeURIComponent(entry)}`;
}

export function hashOfSession(session: string | undefined): string {
  return session === undefined ? '#/' : `#/session/${session}`;
}

const listeners = new Listeners();
const notify = () => listeners.notify();

/** All subscribers share one listener: the browser lets React render after each separate one. */
export const route: Readable<string | undefined> = {
  get: () => sessionOfHash(location.hash),
  subscribe(listener) {
    if (listeners.size === 0) addEventListener('hashchange', notify);
    const off = listeners.add(listener);
    return () => {
      off();
      if (listeners.size === 0) removeEventListener('hashchange', notify);
    };
  },
};

const HOME = '#/home';

/** Home covers the dock; opening anything leaves it. */
export const atHome: Readable<boolean> = {
  get: () => location.hash === HOME,
  subscribe: (listener) => route.subscribe(listener),
};

export function showHome(): void {
  if (!atHome.get()) location.hash = HOME;
}

/** Names the session in front without a history entry, and without opening it again. */
export function leaveHome(session: string | undefined): void {
  if (!atHome.get()) return;
  history.replaceState(history.state, '', hashOfSession(session));
  notify();
}

export function showSession(session: string | undefined): void {
  const hash = hashOfSession(session);
  if (location.hash !== hash) location.hash = hash;
  else repeatRoute();
}

/** Opens what the URL names again: it keeps naming the last conversation while another card is in front of it. */
export function repeatRoute(): void {
  notify();
}
