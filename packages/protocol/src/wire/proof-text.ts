/** The texts that browser and server sign (X1). Without imports: a service worker has them too. */

/** Scope of a MAC. An instance is one lifetime of the port: its id is never reused. */
export interface ProofScope {
  readonly instance: string;
  /** `http://127.0.0.1:12345`, as the browser writes it. */
  readonly origin: string;
  readonly signIn: string;
}

export interface Nonces {
  readonly page: string;
  readonly server: string;
}

export interface SignedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** By the server's clock. */
  readonly at: number;
}

/** The server's proof; a page sends nothing before it has verified it. */
export function serverProofText(scope: ProofScope, nonces: Nonces): string {
  return text('server', scope, [nonces.page, nonces.server]);
}

/** The page's proof. */
export function pageProofText(scope: ProofScope, nonces: Nonces): string {
  return text('page', scope, [nonces.page, nonces.server]);
}

/** Proof of a request to `/api/`. */
export function requestProofText(scope: ProofScope, { method, path, at }: SignedRequest): string {
  return text('request', scope, [method, path, at]);
}

/** Proof in a URL that cannot carry a header: images, previews, downloads. */
export function addressProofText(scope: ProofScope, path: string, until: number): string {
  return text('address', scope, [path, until]);
}

function text(purpose: string, { instance, origin, signIn }: ProofScope, rest: (string | number)[]): string {
  return JSON.stringify(['tugdeck 1', purpose, instance, origin, signIn, ...rest]);
}

const SCHEME = 'Tugdeck';

/** The `Authorization` header of a request to `/api/`. */
export function writeAuthorization(signIn: string, at: number, made: string): string {
  return `${SCHEME} ${signIn}.${at}.${made}`;
}
