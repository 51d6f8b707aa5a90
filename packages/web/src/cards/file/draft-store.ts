/**
 * Unsaved file texts in this browser, kept over a reload (W2), by project and path. If storage is refused, they
 * last until the page is closed.
 */
import type { Draft } from '@tugdeck/protocol/files/document';
import { z } from 'zod';
import type { FilePlace } from '../../features/files/file-api.ts';

const NAME = 'tugdeck-file-drafts';
const STORE = 'drafts';
const draftSchema = z.object({
  text: z.string(),
  base: z.object({ text: z.string(), hash: z.string() }).optional(),
});

let opening: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

async function run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const store = (await database()).transaction(STORE, mode).objectStore(STORE);
  return new Promise((resolve, reject) => {
    const request = act(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

const keyOf = ({ project, path }: FilePlace) => `${project}\n${path}`;

export async function loadDraft(place: FilePlace): Promise<Draft | undefined> {
  try {
    const found = draftSchema.safeParse(await run('readonly', (store) => store.get(keyOf(place)))).data;
    return found && { text: found.text, base: found.base };
  } catch (error) {
    console.warn('unsaved text could not be read', error);
    return undefined;
  }
}

export async function saveDraft(place: FilePlace, draft: Draft | undefined): Promise<void> {
  try {
    if (draft) await run('readwrite', (store) => store.put({ ...draft }, keyOf(place)));
    else await run('readwrite', (store) => store.delete(keyOf(place)));
  } catch (error) {
    console.warn('unsaved text could not be stored', error);
  }
}
