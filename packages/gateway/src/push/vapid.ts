/** Signs requests to push services with a key of this server (RFC 8292), stored with its settings. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { SettingTable } from '@tugdeck/store/setting-table';
import { z } from 'zod';

const SETTING = 'push-key';
const VALID_MS = 12 * 3600_000;

const keySchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

export interface Vapid {
  /** For the browser, base64url. */
  readonly publicKey: string;
  /** The `Authorization` header for a push service. */
  authorize(endpoint: string, now: number): string;
}

/** Creates the key at first use. */
export function openVapid(settings: SettingTable): Vapid {
  const jwk = storedKey(settings) ?? newKey(settings);
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]).toString('base64url');
  return {
    publicKey,
    authorize(endpoint, now) {
      const claims = {
        aud: new URL(endpoint).origin,
        exp: Math.floor((now + VALID_MS) / 1000),
        // Some services refuse a request without a contact. It names nobody.
        sub: 'https://github.com/tugdeck/tugdeck',
      };
      const text = [{ typ: 'JWT', alg: 'ES256' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
      return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`;
    },
  };
}

function storedKey(settings: SettingTable) {
  const text = settings.get(SETTING);
  return text === undefined ? undefined : keySchema.parse(JSON.parse(text));
}

function newKey(settings: SettingTable) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = keySchema.parse(privateKey.export({ format: 'jwk' }));
  settings.set(SETTING, JSON.stringify(jwk));
  return jwk;
}
