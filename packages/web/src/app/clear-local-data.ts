/**
 * Removes what was read and typed at this address from this browser: conversations, drafts, and messages that are sent by themselves with the
 * next connection. Preferences stay.
 */
import { port } from './cache-port.ts';

const TYPED = ['tugdeck.draft.', 'tugdeck.waiting.'];

/** Resolves with whether there was anything. */
export async function clearLocalData(): Promise<boolean> {
  const typed = typedKeys();
  for (const key of typed) localStorage.removeItem(key);
  try {
    const cached = (await port?.keys()) ?? [];
    await port?.clear();
    return typed.length + cached.length > 0;
  } catch (error) {
    console.warn('cache', error);
    return typed.length > 0;
  }
}

function typedKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => TYPED.some((prefix) => key.startsWith(prefix)));
  } catch {
    return []; // The browser refuses any storage.
  }
}
