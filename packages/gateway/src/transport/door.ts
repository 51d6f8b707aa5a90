/**
 * The origins at which browsers reach the server (X1): its own address, and one more behind a proxy if configured. Each
 * has its own sign-ins: a token or proof of one is refused at the other.
 */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Instance } from './instance.ts';
import { isOwnOrigin, type OriginRule } from './origin.ts';
import type { Authenticator } from './sign-in.ts';

export interface Door {
  readonly rule: OriginRule;
  readonly authenticator: Authenticator;
  /** Sent with every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the password form exists here. */
  readonly takesPassword: boolean;
}

/** The door that a request came through; undefined if its Host or Origin is not ours. */
export function findDoor(
  doors: readonly Door[],
  headers: IncomingHttpHeaders,
  needed: { readonly required: boolean },
): Door | undefined {
  return doors.find(({ rule }) => isOwnOrigin(rule, headers, needed));
}

/** The instance as a door behind a proxy sees it: with another key, so that no proof is valid at both doors. */
export function instanceBehind({ id, key }: Instance, { origin }: OriginRule): Instance {
  return { id, key: createHmac('sha256', key).update(`origin ${origin}`).digest() };
}
