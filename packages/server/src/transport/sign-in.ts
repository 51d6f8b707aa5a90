/**
 * Who may come in (X1): one-time tokens in memory, and the cookies they are exchanged for, whose secrets are
 * kept only as hashes. Knows nothing of HTTP beyond the text of a cookie.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Timings } from '@tugdeck/local/timings';
import type { SignInTable, SignInWay } from '../store/sign-in-table.ts';

export interface Door {
  /** A fresh one-time token; `show` is the project to bring forward for whoever comes in by it. */
  issueToken(show?: string): string;
  /** The `Set-Cookie` value, or nothing for a token that was used, is too old, or never was. */
  redeem(token: string, visitor: Visitor): string | undefined;
  /** The `Set-Cookie` value for whoever has proved that they are the user. */
  admit(visitor: Visitor): string;
  /** The id of the sign-in that this `Cookie` header proves. */
  recognize(cookies: string | undefined): string | undefined;
  /** The project that this sign-in's next page is to show; told once. */
  takeShow(signIn: string): string | undefined;
  /** Ends a sign-in. Returns the `Set-Cookie` value that makes the browser forget it. */
  revoke(signIn: string): string;
  /** Ends all of them. */
  revokeAll(): void;
  readonly cookieName: string;
}

/** What the list of sign-ins says of one. */
export interface Visitor {
  /** As the browser names itself. */
  readonly agent: string;
  readonly address: string;
  readonly way: SignInWay;
}

interface Options {
  readonly table: SignInTable;
  readonly port: number;
  /** Under TLS: the cookie is never sent without. */
  readonly isSecure: boolean;
  readonly dataRoot: string;
  readonly timings: Pick<Timings, 'tokenMs' | 'cookieMs'>;
  readonly now: () => number;
}

const MAX_TOKENS = 1000;
const MAX_ABOUT = 300;

export function openDoor({ table, port, isSecure, dataRoot, timings, now }: Options): Door {
  const flags = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const tokens = new Map<string, { readonly expiresAt: number; readonly show: string | undefined }>();
  const shows = new Map<string, string>();
  // Cookies do not know ports: without the instance in the name two decks would overwrite each other's.
  const cookieName = `tugdeck_${port}_${sha256(dataRoot).slice(0, 8)}`;
  table.removeExpired(now());

  const forgetOld = () => {
    for (const [hash, { expiresAt }] of tokens) {
      if (expiresAt <= now() || tokens.size > MAX_TOKENS) tokens.delete(hash);
    }
  };

  const enter = ({ agent, address, way }: Visitor): { id: string; cookie: string } => {
    const id = randomUUID();
    const secret = randomBytes(32).toString('base64url');
    const createdAt = now();
    table.insert({
      id,
      secretHash: sha256(secret),
      createdAt,
      expiresAt: createdAt + timings.cookieMs,
      agent: agent.slice(0, MAX_ABOUT),
      address: address.slice(0, MAX_ABOUT),
      way,
    });
    const maxAge = Math.floor(timings.cookieMs / 1000);
    return { id, cookie: `${cookieName}=${secret}; ${flags}; Max-Age=${maxAge}` };
  };

  return {
    cookieName,
    issueToken(show) {
      forgetOld();
      const token = randomBytes(32).toString('base64url');
      tokens.set(sha256(token), { expiresAt: now() + timings.tokenMs, show });
      return token;
    },
    redeem(token, visitor) {
      const hash = sha256(token);
      const issued = tokens.get(hash);
      tokens.delete(hash);
      if (!issued || issued.expiresAt <= now()) return undefined;
      const { id, cookie } = enter(visitor);
      if (issued.show !== undefined) shows.set(id, issued.show);
      return cookie;
    },
    admit: (visitor) => enter(visitor).cookie,
    recognize(cookies) {
      const secret = cookies && readCookie(cookies, cookieName);
      if (!secret) return undefined;
      const signIn = table.find(sha256(secret));
      return signIn && signIn.expiresAt > now() ? signIn.id : undefined;
    },
    takeShow(signIn) {
      const show = shows.get(signIn);
      shows.delete(signIn);
      return show;
    },
    revoke(signIn) {
      table.remove(signIn);
      return `${cookieName}=; ${flags}; Max-Age=0`;
    },
    revokeAll() {
      tokens.clear();
      table.removeAll();
    },
  };
}

function readCookie(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
