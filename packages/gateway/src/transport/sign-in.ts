/**
 * Authentication (X1): one-time tokens in memory, the sign-ins they are exchanged for, and the proofs of a sign-in. A
 * sign-in belongs to one instance and one origin. Independent of HTTP.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Timings } from '@tugdeck/local/timings';
import { isDiskFault } from '@tugdeck/protocol/wire/errors';
import {
  ADDRESS_MS,
  addressProofText,
  type Nonces,
  type ProofScope,
  pageProofText,
  REQUEST_MS,
  readAuthorization,
  readSignedAddress,
  requestProofText,
  type ServerProof,
  type SignInGrant,
  serverProofText,
} from '@tugdeck/protocol/wire/proof';
import type { SignInTable, SignInWay } from '@tugdeck/store/sign-in-table';
import { type Instance, macOf, secretOf, verifyMac } from './instance.ts';
import { newCode, plainCode } from './pairing-code.ts';

export interface Authenticator {
  /** Creates a one-time token; `project` is shown first in the page that redeems it. */
  issueToken(issue?: TokenIssue): string;
  /** Returns undefined for a used, expired or unknown token. */
  redeem(token: string, visitor: Visitor): SignInGrant | undefined;
  /** A sign-in link for a device, with a code to type instead (N54). Using one ends the other. */
  issuePairing(device: Device): Pairing;
  /** Exchanges a typed code for a token. */
  redeemCode(typed: string): string | undefined;
  /** May only read and answer (N55). */
  isLimited(signIn: string): boolean;
  /** Notes when the sign-in was last used, to the minute. */
  noteUse(signIn: string): void;
  /** Whether the sign-in exists and has not expired. Does not authenticate the caller. */
  isValid(signIn: string): boolean;
  /** Our proof for a page that names a sign-in, and the check of the page's proof. */
  challenge(signIn: string, pageNonce: string): Challenge | undefined;
  /** The sign-in proven by a request's `Authorization` header. */
  authenticate(method: string, path: string, authorization: string | undefined): string | undefined;
  /** The sign-in proven by a signed URL. */
  authenticateAddress(address: string): string | undefined;
  /** The project that the sign-in's next page shows; returned once. */
  takeInitialProject(signIn: string): string | undefined;
  revoke(signIn: string): void;
  /** Revokes all sign-ins and unused tokens. */
  revokeAll(): void;
}

export interface TokenIssue {
  readonly project?: string | undefined;
  readonly way?: SignInWay | undefined;
  readonly device?: Device | undefined;
}

/** A device that is paired by name (N54). */
export interface Device {
  readonly name: string;
  /** It may only read and answer (N55). */
  readonly isLimited: boolean;
}

export interface Pairing {
  readonly token: string;
  readonly code: string;
}

/** Shown in the list of sign-ins. */
export interface Visitor {
  /** The browser's user agent. */
  readonly agent: string;
  readonly address: string;
}

export interface Challenge {
  readonly proof: ServerProof;
  isAnswer(proof: string): boolean;
}

interface Options {
  readonly table: SignInTable;
  readonly instance: Instance;
  readonly origin: string;
  readonly timings: Pick<Timings, 'tokenMs' | 'signInMs'>;
  readonly now: () => number;
}

const MAX_TOKENS = 1000;
const MAX_ABOUT = 300;
/** How often the time of the last use is stored. */
const USE_MS = 60_000;

interface Token extends Omit<TokenIssue, 'way'> {
  readonly expiresAt: number;
  readonly way: SignInWay;
}

export function createAuthenticator({ table, instance, origin, timings, now }: Options): Authenticator {
  /** By hash. */
  const tokens = new Map<string, Token>();
  /** The token that a typed code stands for, both as hashes. */
  const codes = new Map<string, string>();
  const usedAt = new Map<string, number>();
  const initialProjects = new Map<string, string>();
  table.removeOthers(instance.id, now());

  const removeExpired = () => {
    for (const [hash, { expiresAt }] of tokens) {
      if (expiresAt <= now() || tokens.size > MAX_TOKENS) tokens.delete(hash);
    }
    for (const [code, token] of codes) if (!tokens.has(token)) codes.delete(code);
  };
  const issueToken = ({ way = 'link', ...issue }: TokenIssue = {}) => {
    removeExpired();
    const token = randomBytes(32).toString('base64url');
    tokens.set(sha256(token), { ...issue, expiresAt: now() + timings.tokenMs, way });
    return token;
  };
  const scopeOf = (signIn: string): ProofScope => ({ instance: instance.id, origin, signIn });
  const isValid = (signIn: string) => {
    const found = table.find(signIn);
    return found?.instance === instance.id && found.expiresAt > now();
  };
  const proves = (signIn: string, text: string, mac: string) =>
    isValid(signIn) && verifyMac(secretOf(instance, signIn), text, mac);

  return {
    issueToken,
    issuePairing(device) {
      const token = issueToken({ device });
      const code = newCode();
      codes.set(sha256(plainCode(code)), sha256(token));
      return { token, code };
    },
    redeemCode(typed) {
      removeExpired();
      const code = sha256(plainCode(typed));
      const hash = codes.get(code);
      const issued = hash === undefined ? undefined : tokens.get(hash);
      codes.delete(code);
      if (hash === undefined || !issued) return undefined;
      tokens.delete(hash);
      return issueToken(issued);
    },
    redeem(token, { agent, address }) {
      const hash = sha256(token);
      const issued = tokens.get(hash);
      tokens.delete(hash);
      if (!issued || issued.expiresAt <= now()) return undefined;
      const id = randomBytes(16).toString('base64url');
      const createdAt = now();
      table.insert({
        id,
        instance: instance.id,
        createdAt,
        expiresAt: createdAt + timings.signInMs,
        agent: agent.slice(0, MAX_ABOUT),
        address: address.slice(0, MAX_ABOUT),
        way: issued.way,
        name: issued.device?.name.slice(0, MAX_ABOUT) ?? '',
        isLimited: issued.device?.isLimited ?? false,
        usedAt: createdAt,
      });
      if (issued.project !== undefined) initialProjects.set(id, issued.project);
      const secret = secretOf(instance, id).toString('base64url');
      return { signIn: id, instance: instance.id, secret, now: createdAt };
    },
    isValid,
    // An unknown sign-in may do nothing, so it does not matter.
    isLimited: (signIn) => table.find(signIn)?.isLimited ?? true,
    noteUse(signIn) {
      const at = now();
      if (at - (usedAt.get(signIn) ?? 0) < USE_MS) return;
      usedAt.set(signIn, at);
      try {
        table.used(signIn, at);
      } catch (error) {
        // A full disk must not end the server for a note that a later use makes as well.
        if (!isDiskFault(error)) throw error;
      }
    },
    challenge(signIn, pageNonce) {
      if (!isValid(signIn)) return undefined;
      const nonces: Nonces = { page: pageNonce, server: randomBytes(16).toString('base64url') };
      const scope = scopeOf(signIn);
      const proof = macOf(secretOf(instance, signIn), serverProofText(scope, nonces));
      return {
        proof: { nonce: nonces.server, proof, now: now() },
        // Checked again: the sign-in may have been revoked since.
        isAnswer: (given) => proves(signIn, pageProofText(scope, nonces), given),
      };
    },
    authenticate(method, path, authorization) {
      const given = authorization === undefined ? undefined : readAuthorization(authorization);
      if (!given || Math.abs(given.time - now()) > REQUEST_MS) return undefined;
      const text = requestProofText(scopeOf(given.signIn), { method, path, at: given.time });
      return proves(given.signIn, text, given.mac) ? given.signIn : undefined;
    },
    authenticateAddress(address) {
      const given = readSignedAddress(address);
      const left = given ? given.time - now() : 0;
      if (!given || left <= 0 || left > ADDRESS_MS) return undefined;
      const text = addressProofText(scopeOf(given.signIn), given.path, given.time);
      return proves(given.signIn, text, given.mac) ? given.signIn : undefined;
    },
    takeInitialProject(signIn) {
      const show = initialProjects.get(signIn);
      initialProjects.delete(signIn);
      return show;
    },
    revoke: (signIn) => table.remove(signIn),
    revokeAll() {
      tokens.clear();
      codes.clear();
      table.removeAll();
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
