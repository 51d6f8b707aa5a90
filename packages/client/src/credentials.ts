/**
 * This browser's sign-in (X1): stores the secret from the sign-in link and signs texts with it. Where the browser
 * supports it, the secret is a key that scripts cannot read. Small and without other imports, because it runs while
 * the page's code is still loading.
 */
export interface Credentials {
  readonly signIn: string;
  readonly instance: string;
  mac(text: string): Promise<string>;
}

/** As stored in this origin's database. An origin includes the port; a cookie does not. */
interface StoredSignIn {
  readonly signIn: string;
  readonly instance: string;
  readonly key: CryptoKey | Uint8Array;
}

export interface CredentialStore {
  /** Starts reading the credentials for the next `read`. */
  preload(): void;
  read(): Promise<Credentials | undefined>;
  /** The last stored name, synchronously. Not secret, and possibly outdated. */
  signInName(): string | undefined;
  save(grant: Grant): Promise<Credentials>;
  clear(): Promise<void>;
}

export interface Grant {
  readonly signIn: string;
  readonly instance: string;
  readonly secret: string;
}

const NAME = 'tugdeck.sign-in';
const STORE = 'sign-in';
const KEY = 'this';
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** The part of local storage that is used. It answers synchronously; the database only when the page is idle. */
export type NameStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function openCredentialStore(factory: IDBFactory | undefined, names?: NameStorage): CredentialStore {
  // Without a database, a sign-in lasts until the page is closed.
  let inMemory: Credentials | undefined;
  const within = <T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>) =>
    factory ? open(factory).then((database) => transact(database, mode, run)) : Promise.resolve(undefined);
  const read = async () => {
    const stored = await within('readonly', (store) => store.get(KEY)).catch(() => undefined);
    const found = isStoredSignIn(stored) ? credentialsOf(stored) : inMemory;
    rename(found?.signIn);
    return found;
  };
  const rename = (name: string | undefined) => {
    if (!names || name === (names.getItem(NAME) ?? undefined)) return;
    try {
      if (name === undefined) names.removeItem(NAME);
      else names.setItem(NAME, name);
    } catch {
      // Storage is full or refused; the database has the name.
    }
  };
  let preloaded: Promise<Credentials | undefined> | undefined;
  return {
    preload() {
      preloaded = read();
    },
    read() {
      const known = preloaded;
      preloaded = undefined;
      return known ?? read();
    },
    signInName() {
      const name = names?.getItem(NAME) ?? undefined;
      return name !== undefined && /^[\w-]{1,200}$/.test(name) ? name : undefined;
    },
    async save({ signIn, instance, secret }) {
      const stored = { signIn, instance, key: await importKey(fromBase64Url(secret)) };
      inMemory = credentialsOf(stored);
      await within('readwrite', (store) => store.put(stored, KEY)).catch(() => undefined);
      rename(signIn);
      return inMemory;
    },
    async clear() {
      inMemory = undefined;
      rename(undefined);
      await within('readwrite', (store) => store.delete(KEY)).catch(() => undefined);
    },
  };
}

function credentialsOf({ signIn, instance, key }: StoredSignIn): Credentials {
  return {
    signIn,
    instance,
    mac: async (text) => toBase64Url(await macOf(key, new TextEncoder().encode(text))),
  };
}

/** `crypto.subtle` exists on localhost and under TLS, not over plain HTTP from elsewhere. */
async function importKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey | Uint8Array> {
  return crypto.subtle ? crypto.subtle.importKey('raw', secret, HMAC, false, ['sign']) : secret;
}

async function macOf(key: CryptoKey | Uint8Array, text: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (!(key instanceof Uint8Array)) return new Uint8Array(await crypto.subtle.sign(HMAC, key, text));
  const { hmacSha256 } = await import('./hmac.ts');
  return hmacSha256(key, text);
}

function isStoredSignIn(value: unknown): value is StoredSignIn {
  if (typeof value !== 'object' || value === null) return false;
  const { signIn, instance, key } = value as Partial<StoredSignIn>;
  return typeof signIn === 'string' && typeof instance === 'string' && typeof key === 'object';
}

function open(factory: IDBFactory): Promise<IDBDatabase> {
  const request = factory.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves with the value read, or when a write is stored. */
function transact<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const request = run(transaction.objectStore(STORE));
    // A read does not wait for its transaction to end: a page that is loading delays every event.
    if (mode === 'readonly') request.onsuccess = () => resolve(request.result);
    transaction.oncomplete = () => {
      database.close();
      resolve(request.result);
    };
    transaction.onabort = () => reject(transaction.error);
  });
}

export function randomText(bytes = 16): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
}
