/** A push service on loopback with its browsers: decrypts what they receive, and answers with a chosen status. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushDevice, PushMessage } from '@tugdeck/protocol/areas/push';

export interface Received {
  readonly browser: string;
  readonly message: PushMessage;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

export async function startPushService() {
  const browsers = new Map<string, { ecdh: ReturnType<typeof createECDH>; auth: Buffer }>();
  const statuses = new Map<string, { status: number; retryAfter?: number }>();
  const received: Received[] = [];
  const tried: string[] = [];
  const server = createServer((request, response) => {
    const browser = request.url?.slice(1) ?? '';
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      tried.push(browser);
      const { status, retryAfter } = statuses.get(browser) ?? { status: 201 };
      const keys = browsers.get(browser);
      if (status === 201 && keys) {
        const body = Buffer.concat(parts);
        check(String(request.headers.authorization), origin);
        const message = JSON.parse(decrypt(body, keys.ecdh, keys.auth)) as PushMessage;
        received.push({ browser, message, headers: request.headers, bytes: body.length });
      }
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    tried,
    answerWith: (browser: string, status: number, retryAfter?: number) =>
      void statuses.set(browser, { status, ...(retryAfter === undefined ? {} : { retryAfter }) }),
    /** A browser that subscribed. */
    browser(name: string, wishes: Partial<PushDevice> = {}): PushDevice {
      const ecdh = createECDH('prime256v1');
      const auth = randomBytes(16);
      browsers.set(name, { ecdh, auth });
      return {
        endpoint: `${origin}/${name}`,
        keys: { p256dh: ecdh.generateKeys().toString('base64url'), auth: auth.toString('base64url') },
        kinds: { needs: true, finished: true, failed: true },
        answers: false,
        ...wishes,
      };
    },
    close: () => new Promise((done) => server.close(done)),
  };
}

/** RFC 8292: a token for exactly this service, signed with the key beside it. */
function check(authorization: string, origin: string): void {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    aud: string;
    exp: number;
  };
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || aud !== origin || exp * 1000 > Date.now() + 24 * 3600_000)
    throw new Error('not authorized');
}

/** RFC 8188 and 8291, from the browser's side. */
export function decrypt(body: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const length = body[20] ?? 0;
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const input = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
  const key = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: nonce\0', 12));
  const open = createDecipheriv('aes-128-gcm', key, nonce);
  open.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([open.update(sealed.subarray(0, -16)), open.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}
