/**
 * The signed tokens by which a NATS server knows accounts and users (JWT with Ed25519 nkeys), so that a deck can admit
 * and revoke machines without a change of the server's configuration.
 */
import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May reply to each request once. */
  readonly replies?: boolean;
}

interface Limits {
  /** Bytes of all streams; 0 without JetStream. */
  readonly storage: number;
  readonly streams: number;
}

type KeyKind = 'operator' | 'account' | 'user';

const CREATE = { operator: nkeys.createOperator, account: nkeys.createAccount, user: nkeys.createUser };

/** A new key, as its seed. */
export function createSeed(kind: KeyKind): string {
  return Buffer.from(CREATE[kind]().getSeed()).toString();
}

export function publicKey(seed: string): string {
  return nkeys.fromSeed(Buffer.from(seed)).getPublicKey();
}

export function operatorToken(operator: string, systemAccount: string): string {
  const sub = publicKey(operator);
  return signed(operator, { sub, name: 'tugdeck' }, { type: 'operator', system_account: systemAccount });
}

/** `revoked`: users whose tokens issued until then (in seconds) are invalid. */
export function accountToken(
  operator: string,
  { account, name, limits, revoked = {} }: AccountClaims,
): string {
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1 };
  const storage = {
    ...{ mem_storage: 0, disk_storage: limits.storage, streams: limits.streams, consumer: limits.streams },
  };
  return signed(
    operator,
    { sub: account, name },
    {
      type: 'account',
      limits: { ...unlimited, wildcards: true, leaf: 0, ...storage },
      default_permissions: { pub: {}, sub: {} },
      ...(Object.keys(revoked).length === 0 ? {} : { revocations: revoked }),
    },
  );
}

interface AccountClaims {
  readonly account: string;
  readonly name: string;
  readonly limits: Limits;
  readonly revoked?: Readonly<Record<string, number>>;
}

export function userToken(account: string, { user, name, permissions, until }: UserClaims): string {
  const { publish, subscribe, replies } = permissions;
  return signed(
    account,
    { sub: user, name, ...(until === undefined ? {} : { exp: Math.floor(until / 1000) }) },
    {
      type: 'user',
      ...{ subs: -1, data: -1, payload: -1 },
      pub: { allow: publish },
      sub: { allow: subscribe },
      ...(replies ? { resp: { max: 1, ttl: 10_000_000_000 } } : {}),
    },
  );
}

interface UserClaims {
  readonly user: string;
  readonly name: string;
  readonly permissions: Permissions;
  /** In milliseconds since 1970. */
  readonly until?: number;
}

function signed(
  issuer: string,
  claims: Readonly<Record<string, unknown>>,
  nats: Readonly<Record<string, unknown>>,
): string {
  const key = nkeys.fromSeed(Buffer.from(issuer));
  const iat = Math.floor(Date.now() / 1000);
  const body = { ...claims, iat, iss: key.getPublicKey(), nats: { ...nats, version: 2 } };
  const jti = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ jti, ...body })}`;
  return `${text}.${Buffer.from(key.sign(Buffer.from(text))).toString('base64url')}`;
}
