/**
 * This browser's sign-in (X1): what it was given over the one-time address, and the proofs it makes of it. In a browser that can, the
 * secret is a key that no script can read out. Small and without other imports: it is read while the page's code still comes.
 */
export interface Credentials {
  readonly signIn: string;
  readonly instance: string;
  mac(text: string): Promise<string>;
}

/** As kept in this origin's database; an origin has a port, a cookie has none. */
interface StoredSignIn {
  readonly signIn: string;
  readonly instance: string;
  readonly key: CryptoKey | Uint8Array;
}

export interface CredentialStore {
  /** Begins to read what will be asked for. */
  preload(): void;
  read(): Promise<Credentials | undefined>;
  /** The name of the sign-in that was kept last, at once. Not secret, and perhaps no longer true. */
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

/** Of local storage, which answers at once; the database answers only when the page has time. */
export type NameStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function openCredentialStore(factory: IDBFactory | undefined, names?: NameStorage): CredentialStore {
  // Where the browser refuses a database, a sign-in lasts for a visit.
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
      // No room, or refused: the database has it.
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

/** `crypto.subtle` is there on this machine and under TLS, and not over plain HTTP from elsewhere. */
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

/** Resolves with what was read, or when a change is stored. */
function transact<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const request = run(transaction.objectStore(STORE));
    // A read need not wait for the end of its transaction: every event waits for a page that is busy loading.
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
