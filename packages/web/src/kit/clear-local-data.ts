/** Removes conversations, drafts and undelivered messages of this origin from the browser. Preferences stay. */
import { port } from './cache-port.ts';

const TYPED = ['tugdeck.draft.', 'tugdeck.waiting.'];

/** Resolves with whether any data was removed. */
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
