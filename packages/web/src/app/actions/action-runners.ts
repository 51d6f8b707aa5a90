/**
 * What the actions of the key table do, as far as somebody is there to do it. Whoever can do one provides it while it
 * is drawn; the keys and the palette run it by its name. What nobody provides is not offered.
 */
import { useEffect, useRef } from 'react';

const runners = new Map<string, (() => void)[]>();

/** The last one provided is the one that runs. */
export function provideAction(id: string, run: () => void): () => void {
  const list = runners.get(id) ?? [];
  runners.set(id, [...list, run]);
  return () => {
    const left = (runners.get(id) ?? []).filter((other) => other !== run);
    if (left.length > 0) runners.set(id, left);
    else runners.delete(id);
  };
}

export function useActions(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  const names = Object.keys(actions).join(' ');
  useEffect(() => {
    const offs = names.split(' ').map((id) => provideAction(id, () => latest.current[id]?.()));
    return () => {
      for (const off of offs) off();
    };
  }, [names]);
}

export function hasRunner(id: string): boolean {
  return runners.has(id);
}

export function runAction(id: string): void {
  runners.get(id)?.at(-1)?.();
}
