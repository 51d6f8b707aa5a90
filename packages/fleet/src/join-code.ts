/**
 * A code with which one machine joins a fleet, once and within ten minutes (N25). It names the server, a NATS user that
 * may do nothing but join and expires with it, the deck's certificate and a secret that the deck uses up.
 */
import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { bytesOf, fingerprintOf, pemOf } from './certificates.ts';
import { type DeckKeys, removeOldCodes, storeCode } from './fleet-files.ts';
import { createSeed, publicKey, userToken } from './nats-tokens.ts';
import { joinPermissions } from './subjects.ts';

export const CODE_MS = 10 * 60 * 1000;
const MAX_CODE = 16 * 1024;
const START = 'tugdeck1-';

const codeSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  server: z.string().max(1_000),
  /** DER in base64. */
  authority: z.base64().optional(),
  token: z.string().max(4_000),
  seed: z.string().max(100),
  /** Fingerprint of the deck. */
  deck: z.string().regex(/^[0-9a-f]{64}$/),
  secret: z.string().max(100),
});

export interface JoinCode extends Omit<z.infer<typeof codeSchema>, 'authority'> {
  /** PEM. */
  readonly authority?: string | undefined;
}

export function createCode(
  data: Parameters<typeof storeCode>[0],
  keys: DeckKeys,
  { server, name, now }: { readonly server: string; readonly name: string; readonly now: number },
): string {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(16).toString('base64url');
  const seed = createSeed('user');
  const until = now + CODE_MS;
  const user = { user: publicKey(seed), name: `join ${id}`, permissions: joinPermissions(id), until };
  const { authority } = keys;
  const code: z.infer<typeof codeSchema> = {
    ...{ id, server, seed, secret },
    ...(authority === undefined ? {} : { authority: bytesOf(authority).toString('base64') }),
    token: userToken(keys.seeds.account, user),
    deck: fingerprintOf(keys.tls.certificate),
  };
  removeOldCodes(data, now);
  storeCode(data, id, { secret, name, until });
  return START + deflateRawSync(JSON.stringify(code)).toString('base64url');
}

export function parseCode(text: string): JoinCode {
  const trimmed = text.trim();
  try {
    if (!trimmed.startsWith(START)) throw new Error('no code');
    const bytes = Buffer.from(trimmed.slice(START.length), 'base64url');
    const json = inflateRawSync(bytes, { maxOutputLength: MAX_CODE }).toString();
    const { authority, ...code } = codeSchema.parse(JSON.parse(json));
    return authority === undefined ? code : { ...code, authority: pemOf(Buffer.from(authority, 'base64')) };
  } catch {
    throw new CodedError(
      'INVALID_MESSAGE',
      'This is not a join code.',
      'Copy the whole line that tugdeck fleet invite prints.',
    );
  }
}
