/**
 * Registry of the functions behind the actions of the key table. A component registers the actions it can run while
 * it is mounted; keys and the palette run them by id. Actions without a function are not offered.
 */
import { useEffect, useRef } from 'react';
import { cell } from './cell.ts';
import { mayRun } from './limited.ts';

const runners = new Map<string, (() => void)[]>();

/** Changes with the registered actions; some are registered after the first render. */
export const runnersVersion = cell(0);
const changed = () => runnersVersion.set(runnersVersion.get() + 1);

/** The function registered last runs. */
export function provideAction(id: string, run: () => void): () => void {
  const list = runners.get(id) ?? [];
  runners.set(id, [...list, run]);
  changed();
  return () => {
    const left = (runners.get(id) ?? []).filter((other) => other !== run);
    if (left.length > 0) runners.set(id, left);
    else runners.delete(id);
    changed();
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
  return runners.has(id) && mayRun(id);
}

export function runAction(id: string): void {
  if (mayRun(id)) runners.get(id)?.at(-1)?.();
}
