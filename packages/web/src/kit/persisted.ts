/**
 * Preferences stored in this browser (theme, collapsed groups, open cards). If storage is refused, they last until
 * the page is closed. Shared preferences are also stored on the server; a browser without its own value starts with
 * the server's.
 */
import type { Client } from '@tugdeck/client/client';
import type { Readable } from '@tugdeck/client/store';

export interface Persisted<T> extends Readable<T> {
  set(value: T): void;
}

interface Shared {
  /** Whether this browser has its own value. */
  isOwn: boolean;
  text(): string;
  take(text: string): void;
}

const shared = new Map<string, Shared>();
let save: (key: string, text: string) => void = () => undefined;
/** The server's values, once received. */
let serverChoices: Readonly<Record<string, string>> | undefined;

export function persisted<T>(
  key: string,
  read: (raw: unknown) => T,
  { isShared = false } = {},
): Persisted<T> {
  const name = `tugdeck.${key}`;
  const listeners = new Set<() => void>();
  const found = load(name);
  let value = read(found);
  const change = (next: T) => {
    value = next;
    store(name, next);
    for (const notify of listeners) notify();
  };
  const entry: Shared = {
    isOwn: found !== null,
    text: () => JSON.stringify(value),
    take: (text) => change(read(parsed(name, text))),
  };
  if (isShared) {
    shared.set(key, entry);
    compare(key, entry);
  }
  return {
    get: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(next) {
      change(next);
      entry.isOwn = true;
      if (isShared) save(key, entry.text());
    },
  };
}

/** Applies the server's values where this browser has none; sends the missing ones and every change to the server. */
export function shareChoices(client: Client): () => void {
  save = (name, value) => {
    // Refused for a device that may only read and answer (N55).
    if (client.limited.get() !== true)
      void client.request({ type: 'choice.save', name, value }).catch(() => undefined);
  };
  return client.choices.subscribe(() => {
    serverChoices = client.choices.get();
    for (const [key, one] of shared) compare(key, one);
  });
}

function compare(key: string, one: Shared): void {
  if (!serverChoices) return;
  const text = serverChoices[key];
  if (text !== undefined && !one.isOwn) one.take(text);
  else if (text === undefined && one.isOwn) save(key, one.text());
}

function load(name: string): unknown {
  try {
    return parsed(name, localStorage.getItem(name) ?? 'null');
  } catch (error) {
    console.warn(`${name} could not be read`, error);
    return null;
  }
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    console.warn(`${name} could not be read`, error);
    return null;
  }
}

function store(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch (error) {
    console.warn(`${name} could not be stored`, error);
  }
}

export function stringList(raw: unknown): readonly string[] {
  return Array.isArray(raw) ? raw.filter((item): item is string => typeof item === 'string') : [];
}
