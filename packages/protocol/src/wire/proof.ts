/**
 * Mutual authentication of browser and server (X1). Both hold the secret of one sign-in and only send MACs over the
 * texts below. Every text names its purpose, the instance, the origin (with its port) and the sign-in, so that a MAC
 * is useless to another program, on another port, or in another instance of the server.
 */
import { z } from 'zod';

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

const random = z.string().regex(/^[\w-]{16,64}$/);
const mac = z.string().regex(/^[\w-]{43}$/);

/** `GET /ws?…`: identifies the sign-in; contains nothing secret. */
export const socketHelloSchema = z.object({ signIn: random, nonce: random });

/** The first message on a socket, from the server. It and the page's answer are text; all others are frames. */
export const serverProofSchema = z.object({ nonce: random, proof: mac, now: z.number() });
export type ServerProof = z.infer<typeof serverProofSchema>;

export const pageProofSchema = z.object({ proof: mac });

/** `POST /api/sign-in`, with the token of a sign-in link. */
export const signInRequestSchema = z.object({ token: z.string().max(200) });

/** The part of a sign-in that a browser keeps. The secret is sent once. */
export const signInGrantSchema = z.object({ signIn: random, instance: random, secret: mac, now: z.number() });
export type SignInGrant = z.infer<typeof signInGrantSchema>;

/** The `Authorization` header of a request to `/api/`. */
const SCHEME = 'Tugdeck';
const AUTHORIZATION = /^Tugdeck ([\w-]{16,64})\.(\d{1,15})\.([\w-]{43})$/;
/** The last query parameter of a signed URL. */
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

/** Maximum difference between a request's time and the server's. */
export const REQUEST_MS = 60_000;
/** Maximum lifetime of a signed URL. */
export const ADDRESS_MS = 10 * 60_000;
