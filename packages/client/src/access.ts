/**
 * What this page may do at its server (X1): the sign-in it has, the proofs it makes of it, and whether the server has proven itself.
 * Until it has, nothing is sent to it but the name of the sign-in; the socket's handshake is where it does.
 */
import {
  ADDRESS_MS,
  addressProofText,
  type Nonces,
  type ProofScope,
  pageProofText,
  requestProofText,
  serverProofSchema,
  serverProofText,
  signInGrantSchema,
  writeAuthorization,
  writeSignedAddress,
} from '@tugdeck/protocol/wire/proof';
import { type CredentialStore, type Credentials, randomText } from './credentials.ts';
import { defer } from './deferred.ts';
import { ServerClock } from './server-clock.ts';

export interface AccessOptions {
  /** As the browser writes it. */
  readonly origin: string;
  readonly store: CredentialStore;
  /**
   * This browser's first sign-in to an instance. Another program may have had our address before: what it left in the
   * storage of this origin must not be taken for ours. Nothing is sent until this has resolved.
   */
  readonly onNewInstance?: () => Promise<void>;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
}

/** A socket that is about to be opened: where, and how its first message is answered. */
export interface SocketHandshake {
  /** For the query of its address. */
  readonly query: string;
  /** The page's proof, or nothing if whoever answered is not our server. */
  answer(first: unknown): Promise<string | undefined>;
}

/** What a connection needs of it. */
export type SocketAccess = Pick<
  Access,
  'startHandshake' | 'hasCredentials' | 'serverProven' | 'setServerTime' | 'disconnected' | 'checkSignIn'
>;

/** How the server answers to a name of a sign-in, without a proof. */
export type SignInStatus = 'signed-in' | 'signed-out' | 'stopped' | 'unreachable';

const SIGN_IN = '/api/sign-in';

export class Access {
  readonly #origin: string;
  readonly #store: CredentialStore;
  readonly #onNewInstance: () => Promise<void>;
  readonly #clock: ServerClock;
  readonly #fetch: typeof fetch;
  #credentials: Credentials | undefined;
  #redeeming: Promise<boolean> | undefined;
  #proven = defer();
  /** Where others can reach the server, there is a form for the password. */
  hasPassword = false;

  constructor({ origin, store, onNewInstance: entered, now = Date.now, fetch: send }: AccessOptions) {
    this.#origin = origin;
    this.#store = store;
    this.#onNewInstance = entered ?? (() => Promise.resolve());
    this.#clock = new ServerClock(now);
    this.#fetch = send ?? ((input, init) => fetch(input, init));
  }

  /** Whether there is a sign-in. Looks again while there is none: another tab may get one. */
  async hasCredentials(): Promise<boolean> {
    return (await this.credentials()) !== undefined;
  }

  async credentials(): Promise<Credentials | undefined> {
    await this.#redeeming;
    this.#credentials ??= await this.#store.read();
    return this.#credentials;
  }

  /** Exchanges the token of a one-time address. Until that is settled, there is no other sign-in. */
  redeem(token: string): Promise<boolean> {
    const redeeming = this.#redeem(token);
    const entering = redeeming.catch(() => false);
    this.#redeeming = entering;
    void entering.then(() => {
      if (this.#redeeming === entering) this.#redeeming = undefined;
    });
    return redeeming;
  }

  async #redeem(token: string): Promise<boolean> {
    const response = await this.#fetch(new URL(SIGN_IN, this.#origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
      credentials: 'omit',
      cache: 'no-store',
    });
    if (!response.ok) return false;
    const grant = signInGrantSchema.parse(await response.json());
    this.#clock.sync(grant.now);
    const before = await this.#store.read();
    this.#credentials = await this.#store.save(grant);
    if (before?.instance !== grant.instance) await this.#onNewInstance();
    return true;
  }

  /**
   * Nothing where this browser knows no sign-in yet. Its name is enough to open a socket; the key comes from the
   * database while the socket opens.
   */
  startHandshake(): SocketHandshake | undefined {
    const name = this.#credentials?.signIn ?? (this.#redeeming ? undefined : this.#store.signInName());
    if (name === undefined) return undefined;
    const nonce = randomText();
    return {
      query: `signIn=${name}&nonce=${nonce}`,
      answer: async (first) => {
        const credentials = await this.credentials();
        // Another tab signed in or out since: the next socket has the right name.
        if (credentials?.signIn !== name) throw new Error('the kept name belongs to another sign-in');
        return this.#answer(credentials, nonce, first);
      },
    };
  }

  async #answer(credentials: Credentials, page: string, first: unknown): Promise<string | undefined> {
    const serverProof = serverProofSchema.safeParse(parseJson(first)).data;
    if (!serverProof) return undefined;
    const scope = this.#scope(credentials);
    const nonces: Nonces = { page, server: serverProof.nonce };
    // Both at once: the browser computes them beside a page that is busy drawing.
    const [expected, proof] = await Promise.all([
      credentials.mac(serverProofText(scope, nonces)),
      credentials.mac(pageProofText(scope, nonces)),
    ]);
    if (expected !== serverProof.proof) return undefined;
    this.#clock.sync(serverProof.now);
    return JSON.stringify({ proof });
  }

  /** The server has proven itself and let us in. `askTime` has it say its time over this link. */
  serverProven(requestTime?: () => boolean): void {
    this.#clock.setTimeRequest(requestTime);
    this.#proven.resolve();
  }

  /** The proven server said its time. */
  setServerTime(now: number): void {
    this.#clock.sync(now);
  }

  disconnected(): void {
    const before = this.#proven;
    this.#proven = defer();
    // A request that waits for a server which does not come fails as it would without us.
    before.reject(new TypeError('Failed to fetch'));
    this.#clock.setTimeRequest();
  }

  /**
   * `fetch` for `/api/`: goes to a proven server only, with the proof that it needs. Refused because a clock was changed since the
   * time was learned, it learns it again and goes once more.
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.#fetchOnce(path, init);
    return response.status === 401 && (await this.#clock.wasAdjusted())
      ? this.#fetchOnce(path, init)
      : response;
  }

  async #fetchOnce(path: string, init: RequestInit): Promise<Response> {
    const authorization = await this.authorizationHeader(init.method ?? 'GET', path);
    const headers = { ...(init.headers as Record<string, string> | undefined), authorization };
    return this.#fetch(new URL(path, this.#origin), { ...init, headers, credentials: 'omit' });
  }

  /** The header of a request. */
  async authorizationHeader(method: string, path: string): Promise<string> {
    const credentials = await this.#whenProven();
    const at = this.#clock.now();
    const text = requestProofText(this.#scope(credentials), { method, path, at });
    return writeAuthorization(credentials.signIn, at, await credentials.mac(text));
  }

  /** For elements that load by themselves. The same for some minutes, so that a browser need not load it twice. */
  async signAddress(path: string): Promise<string> {
    const credentials = await this.#whenProven();
    const half = ADDRESS_MS / 2;
    const until = (Math.floor(this.#clock.now() / half) + 2) * half;
    const mac = await credentials.mac(addressProofText(this.#scope(credentials), path, until));
    return writeSignedAddress(path, credentials.signIn, until, mac);
  }

  async #whenProven(): Promise<Credentials> {
    await this.#proven.promise;
    if (!this.#credentials) throw new TypeError('Failed to fetch');
    return this.#credentials;
  }

  #scope({ signIn, instance }: Credentials): ProofScope {
    return { instance, origin: this.#origin, signIn };
  }

  /** A page cannot see why a socket was refused; this asks, and proves nothing. */
  async checkSignIn(): Promise<SignInStatus> {
    await this.hasCredentials();
    const address = new URL(`${SIGN_IN}?signIn=${this.#credentials?.signIn ?? ''}`, this.#origin);
    try {
      const answer = await this.#fetch(address, { credentials: 'omit', cache: 'no-store' });
      if (answer.status === 503) return 'stopped';
      if (!answer.ok) return 'unreachable';
      const { holds, password } = (await answer.json()) as { holds?: unknown; password?: unknown };
      this.hasPassword = password === true;
      if (holds === true) return 'signed-in';
      // Of no more use; a later read finds what another tab got.
      this.#credentials = undefined;
      return 'signed-out';
    } catch (error) {
      // `fetch` reports every failure of the network as a TypeError; what is not JSON is not our server.
      if (error instanceof TypeError || error instanceof SyntaxError) return 'unreachable';
      throw error;
    }
  }

  async signOut(): Promise<void> {
    await this.fetch('/api/sign-out', { method: 'POST' });
    this.#credentials = undefined;
    await this.#store.clear();
  }
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
