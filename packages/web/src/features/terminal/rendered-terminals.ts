/** The terminals rendered in this page, for code that types into one or reads it. */
import type { TerminalConnection } from './terminal-connection.ts';
import type { TerminalScreen } from './terminal-screen.ts';

export interface OpenTerminal {
  readonly screen: TerminalScreen;
  readonly connection: TerminalConnection;
}

const drawn = new Map<string, OpenTerminal>();
const waiting = new Map<string, ((open: OpenTerminal) => void)[]>();

export function registerTerminal(id: string, open: OpenTerminal): () => void {
  drawn.set(id, open);
  for (const resolve of waiting.get(id) ?? []) resolve(open);
  waiting.delete(id);
  return () => {
    if (drawn.get(id) === open) drawn.delete(id);
  };
}

/** Resolves when a card renders it. */
export function renderedTerminal(id: string): Promise<OpenTerminal> {
  const open = drawn.get(id);
  if (open) return Promise.resolve(open);
  return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]));
}
