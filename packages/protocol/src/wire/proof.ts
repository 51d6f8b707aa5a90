/**
 * How a browser and the server prove themselves to each other (X1). Both hold the secret of one sign-in and show it only as
 * MACs over the texts below. Every text names its purpose, the instance, the origin (with its port) and the sign-in, so
 * that nothing which one program was sent is of use to another, on another port or in another life of the server.
 */
import { z } from 'zod';

/** For whom a MAC is made. An instance is one life of the port: its id never comes back. */
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

/** The server's proof; a page sends nothing of its own before it has checked it. */
export function serverProofText(scope: ProofScope, nonces: Nonces): string {
  return text('server', scope, [nonces.page, nonces.server]);
}

/** The page's answer. */
export function pageProofText(scope: ProofScope, nonces: Nonces): string {
  return text('page', scope, [nonces.page, nonces.server]);
}

/** Of one request to `/api/`. */
export function requestProofText(scope: ProofScope, { method, path, at }: SignedRequest): string {
  return text('request', scope, [method, path, at]);
}

/** Of one address that can carry no header: images, previews, downloads. */
export function addressProofText(scope: ProofScope, path: string, until: number): string {
  return text('address', scope, [path, until]);
}

function text(purpose: string, { instance, origin, signIn }: ProofScope, rest: (string | number)[]): string {
  return JSON.stringify(['tugdeck 1', purpose, instance, origin, signIn, ...rest]);
}

const random = z.string().regex(/^[\w-]{16,64}$/);
const mac = z.string().regex(/^[\w-]{43}$/);

/** `GET /ws?…`: who comes; nothing of it is secret. */
export const socketHelloSchema = z.object({ signIn: random, nonce: random });

/** The first message on a socket, from the server: a text, as the page's answer is. All others are frames. */
export const serverProofSchema = z.object({ nonce: random, proof: mac, now: z.number() });
export type ServerProof = z.infer<typeof serverProofSchema>;

export const pageProofSchema = z.object({ proof: mac });

/** `POST /api/sign-in`, with the token of a one-time address. */
export const signInRequestSchema = z.object({ token: z.string().max(200) });

/** What a browser keeps of a sign-in. The secret is given once. */
export const signInGrantSchema = z.object({ signIn: random, instance: random, secret: mac, now: z.number() });
export type SignInGrant = z.infer<typeof signInGrantSchema>;

/** The `Authorization` of a request to `/api/`. */
const SCHEME = 'Tugdeck';
const AUTHORIZATION = /^Tugdeck ([\w-]{16,64})\.(\d{1,15})\.([\w-]{43})$/;
/** Last in the query of a signed address. */
const ADDRESS = /^(.*)[?&]proof=([\w-]{16,64})\.(\d{1,15})\.([\w-]{43})$/;

export interface GivenProof {
  readonly signIn: string;
  readonly time: number;
  readonly mac: string;
}

export function writeAuthorization(signIn: string, at: number, made: string): string {
  return `${SCHEME} ${signIn}.${at}.${made}`;
}

export function readAuthorization(header: string): GivenProof | undefined {
  const [, signIn, time, made] = AUTHORIZATION.exec(header) ?? [];
  return signIn && time && made ? { signIn, time: Number(time), mac: made } : undefined;
}

export function writeSignedAddress(path: string, signIn: string, until: number, made: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}proof=${signIn}.${until}.${made}`;
}

export function readSignedAddress(address: string): (GivenProof & { readonly path: string }) | undefined {
  const [, path, signIn, time, made] = ADDRESS.exec(address) ?? [];
  return path && signIn && time && made ? { path, signIn, time: Number(time), mac: made } : undefined;
}

/** How far a request's time may be from the server's: it was made a moment ago. */
export const REQUEST_MS = 60_000;
/** How long a signed address may hold at most. */
export const ADDRESS_MS = 10 * 60_000;
