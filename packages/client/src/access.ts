/**
 * The page's credentials (X1): holds the sign-in, signs requests with it, and verifies the server. Until the server
 * has proven its identity in the socket handshake, only the name of the sign-in is sent to it.
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
import { requestGrant, SIGN_IN } from './grant-request.ts';
import { ServerClock } from './server-clock.ts';

export interface AccessOptions {
  /** As the browser formats it. */
  readonly origin: string;
  readonly store: CredentialStore;
  /**
   * Called on this browser's first sign-in to an instance. Another program may have used this address before, so
   * its data in the storage of this origin must be removed. Nothing is sent until this has resolved.
   */
  readonly onNewInstance?: () => Promise<void>;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
}

/** Query and challenge response for one socket that is about to be opened. */
export interface SocketHandshake {
  /** Goes into the query of the socket's URL. */
  readonly query: string;
  /** The page's proof, or undefined if the peer is not our server. */
  answer(first: unknown): Promise<string | undefined>;
}

/** The part of `Access` that a connection uses. */
export type SocketAccess = Pick<
  Access,
  'startHandshake' | 'hasCredentials' | 'serverProven' | 'setServerTime' | 'disconnected' | 'checkSignIn'
>;

/** The server's answer for the name of a sign-in, without a proof. */
export type SignInStatus = 'signed-in' | 'signed-out' | 'stopped' | 'unreachable';

export class Access {
  readonly #origin: string;
  readonly #store: CredentialStore;
  readonly #onNewInstance: () => Promise<void>;
  readonly #clock: ServerClock;
  readonly #fetch: typeof fetch;
  #credentials: Credentials | undefined;
  #redeeming: Promise<boolean> | undefined;
  #proven = defer();
  /** Whether the server offers a password form. It does when other machines can reach it. */
  hasPassword = false;

  constructor({ origin, store, onNewInstance: entered, now = Date.now, fetch: send }: AccessOptions) {
    this.#origin = origin;
    this.#store = store;
    this.#onNewInstance = entered ?? (() => Promise.resolve());
    this.#clock = new ServerClock(now);
    this.#fetch = send ?? ((input, init) => fetch(input, init));
  }

  /** Whether this browser has a sign-in. Reads the store again while it has none: another tab may sign in. */
  async hasCredentials(): Promise<boolean> {
    return (await this.credentials()) !== undefined;
  }

  async credentials(): Promise<Credentials | undefined> {
    await this.#redeeming;
    this.#credentials ??= await this.#store.read();
    return this.#credentials;
  }

  /** Exchanges the token of a sign-in link. Other sign-ins wait until this is settled. `request` may be under way. */
  redeem(token: string, request = requestGrant(token, this.#origin, this.#fetch)): Promise<boolean> {
    const redeeming = this.#redeem(request);
    const entering = redeeming.catch(() => false);
    this.#redeeming = entering;
    void entering.then(() => {
      if (this.#redeeming === entering) this.#redeeming = undefined;
    });
    return redeeming;
  }

  async #redeem(request: Promise<Response>): Promise<boolean> {
    const response = await request;
    if (!response.ok) return false;
    const grant = signInGrantSchema.parse(await response.json());
    this.#clock.sync(grant.now);
    const before = await this.#store.read();
    this.#credentials = await this.#store.save(grant);
    if (before?.instance !== grant.instance) await this.#onNewInstance();
    return true;
  }

  /**
   * Undefined while this browser has no sign-in. The name is enough to open a socket; the key is read from the
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
        // Another tab has signed in or out; the next socket uses the right name.
        if (credentials?.signIn !== name) throw new Error('the stored name belongs to another sign-in');
        return this.#answer(credentials, nonce, first);
      },
    };
  }

  async #answer(credentials: Credentials, page: string, first: unknown): Promise<string | undefined> {
    const serverProof = serverProofSchema.safeParse(parseJson(first)).data;
    if (!serverProof) return undefined;
    const scope = this.#scope(credentials);
    const nonces: Nonces = { page, server: serverProof.nonce };
    // In parallel: the browser computes them off the main thread.
    const [expected, proof] = await Promise.all([
      credentials.mac(serverProofText(scope, nonces)),
      credentials.mac(pageProofText(scope, nonces)),
    ]);
    if (expected !== serverProof.proof) return undefined;
    this.#clock.sync(serverProof.now);
    return JSON.stringify({ proof });
  }

  /**
   * The server has proven its identity and accepted ours. `requestTime` asks it for its time over this connection.
   */
  serverProven(requestTime?: () => boolean): void {
    this.#clock.setTimeRequest(requestTime);
    this.#proven.resolve();
  }

  /** The verified server reported its time. */
  setServerTime(now: number): void {
    this.#clock.sync(now);
  }

  disconnected(): void {
    const before = this.#proven;
    this.#proven = defer();
    // Requests that wait for the server fail as an ordinary fetch would.
    before.reject(new TypeError('Failed to fetch'));
    this.#clock.setTimeRequest();
  }

  /**
   * `fetch` for `/api/`: only to a verified server, with a proof. If the server refuses because a clock was
   * changed, the clocks are synchronized again and the request is repeated once.
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

  /** The `Authorization` header for a request. */
  async authorizationHeader(method: string, path: string): Promise<string> {
    const credentials = await this.#whenProven();
    const at = this.#clock.now();
    const text = requestProofText(this.#scope(credentials), { method, path, at });
    return writeAuthorization(credentials.signIn, at, await credentials.mac(text));
  }

  /** A signed URL for elements that load by themselves. Stable for some minutes, so that the browser can cache it. */
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

  /** Asks the server why a socket was refused, which a page cannot see. Proves nothing. */
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
      // No longer valid; a later read finds the sign-in of another tab.
      this.#credentials = undefined;
      return 'signed-out';
    } catch (error) {
      // `fetch` reports network failures as TypeError; a body that is not JSON does not come from our server.
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
