/**
 * Mutual authentication of browser and server (X1). Both hold the secret of one sign-in and only send MACs over the
 * texts below. Every text names its purpose, the instance, the origin (with its port) and the sign-in, so that a MAC
 * is useless to another program, on another port, or in another instance of the server.
 */
import { z } from 'zod';

export * from './proof-text.ts';

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
const AUTHORIZATION = /^Tugdeck ([\w-]{16,64})\.(\d{1,15})\.([\w-]{43})$/;
/** The last query parameter of a signed URL. */
const ADDRESS = /^(.*)[?&]proof=([\w-]{16,64})\.(\d{1,15})\.([\w-]{43})$/;

export interface GivenProof {
  readonly signIn: string;
  readonly time: number;
  readonly mac: string;
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
