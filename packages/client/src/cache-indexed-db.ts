/**
 * The cache port over IndexedDB: one database per origin with one object store. The cache is only a copy, so a
 * database of another version is emptied or deleted.
 */
import type { CachePort, CacheRecord } from './cache-port.ts';

const NAME = 'tugdeck.cache';
const VERSION = 1;
const STORE = 'records';

export interface PreloadingCachePort extends CachePort {
  /** Starts reading these keys; each result is handed out once. */
  preload(keys: readonly string[]): void;
}

export function openIndexedDbCache(factory: IDBFactory, name = NAME): PreloadingCachePort {
  const connection = new Database(factory, name);
  const preloaded = new Map<string, Promise<CacheRecord | undefined>>();
  const read = async (key: string) => {
    const store = await connection.store('readonly');
    return asRecord(await resultOf(store.get(key)));
  };
  connection.begin();
  return {
    preload(keys) {
      for (const key of keys) {
        const reading = read(key);
        // `read` reports the error; without a `read` it is ignored.
        reading.catch(() => undefined);
        preloaded.set(key, reading);
      }
    },
    read(key) {
      const known = preloaded.get(key);
      preloaded.delete(key);
      return known ?? read(key);
    },
    write: (records) =>
      connection.change((store) => {
        for (const record of records) store.put(record);
        // Without an explicit commit, a page that is closing would abort the transaction.
        store.transaction.commit();
      }),
    async keys() {
      const store = await connection.store('readonly');
      const keys = await resultOf(store.index('usedAt').getAllKeys());
      return keys.filter((key) => typeof key === 'string');
    },
    remove: (keys) =>
      connection.change((store) => {
        for (const key of keys) store.delete(key);
      }),
    clear(project) {
      preloaded.clear();
      return connection.change((store) => {
        if (project === undefined) {
          store.clear();
          return;
        }
        const cursor = store.index('project').openKeyCursor(project);
        cursor.onsuccess = () => {
          const at = cursor.result;
          if (!at) return;
          store.delete(at.primaryKey);
          at.continue();
        };
      });
    },
  };
}

class Database {
  readonly #factory: IDBFactory;
  readonly #name: string;
  #open: IDBDatabase | undefined;
  #opening: Promise<IDBDatabase> | undefined;

  constructor(factory: IDBFactory, name: string) {
    this.#factory = factory;
    this.#name = name;
  }

  /** Connects while the page's code is still loading; the first read reports an error. */
  begin(): void {
    this.#connect().catch(() => {
      this.#opening = undefined;
    });
  }

  async store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    const database = this.#open ?? (await this.#connect());
    return database.transaction(STORE, mode).objectStore(STORE);
  }

  /** Resolves when the transaction has committed. */
  change(run: (store: IDBObjectStore) => void): Promise<void> {
    const begin = (database: IDBDatabase) =>
      new Promise<void>((resolve, reject) => {
        const transaction = database.transaction(STORE, 'readwrite');
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
        run(transaction.objectStore(STORE));
      });
    // Starts synchronously when possible: a page that is closing gets no further task.
    return this.#open ? begin(this.#open) : this.#connect().then(begin);
  }

  #connect(): Promise<IDBDatabase> {
    this.#opening ??= this.#request().then((database) => {
      const forget = () => {
        this.#open = undefined;
        this.#opening = undefined;
      };
      // A page of another version wants to open the database and must not wait for us.
      database.onversionchange = () => {
        forget();
        database.close();
      };
      database.onclose = forget;
      this.#open = database;
      return database;
    });
    return this.#opening;
  }

  async #request(): Promise<IDBDatabase> {
    try {
      return await openDatabase(this.#factory, this.#name);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'VersionError') throw error;
      await resultOf(this.#factory.deleteDatabase(this.#name));
      return openDatabase(this.#factory, this.#name);
    }
  }
}

function openDatabase(factory: IDBFactory, name: string): Promise<IDBDatabase> {
  const request = factory.open(name, VERSION);
  request.onupgradeneeded = () => {
    const database = request.result;
    for (const old of [...database.objectStoreNames]) database.deleteObjectStore(old);
    const store = database.createObjectStore(STORE, { keyPath: 'key' });
    store.createIndex('usedAt', 'usedAt');
    store.createIndex('project', 'project');
  };
  return resultOf(request);
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function asRecord(value: unknown): CacheRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { key, project, usedAt, value: content } = value as Partial<CacheRecord>;
  if (typeof key !== 'string' || typeof project !== 'string' || typeof usedAt !== 'number') return undefined;
  return { key, project, usedAt, value: content };
}
