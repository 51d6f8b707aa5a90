/** Small choices kept in this browser (theme, folded groups, open cards). Storage may be refused: then they last a visit. */
import type { Readable } from '@tugdeck/client/store';

export interface Kept<T> extends Readable<T> {
  set(value: T): void;
}

export function kept<T>(key: string, read: (raw: unknown) => T): Kept<T> {
  const name = `tugdeck.${key}`;
  const listeners = new Set<() => void>();
  let value = read(load(name));
  return {
    get: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(next) {
      value = next;
      store(name, next);
      for (const tell of listeners) tell();
    },
  };
}

function load(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch (error) {
    console.warn(`${name} could not be read`, error);
    return null;
  }
}

function store(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch (error) {
    console.warn(`${name} could not be kept`, error);
  }
}

export function listOfNames(raw: unknown): readonly string[] {
  return Array.isArray(raw) ? raw.filter((item): item is string => typeof item === 'string') : [];
}
