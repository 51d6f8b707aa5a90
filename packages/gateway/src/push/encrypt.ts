/** Encrypts a push message for one browser (RFC 8291, RFC 8188): the push service sees its size and nothing else. */
import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

export interface BrowserKeys {
  /** The browser's public key and secret, base64url. */
  readonly p256dh: string;
  readonly auth: string;
}

/** All messages have this size, so that it says nothing. */
const PLAIN_BYTES = 2048;
const RECORD_BYTES = 4096;
const DELIMITER = 2;

/** For the test vector of the standard. */
export interface Fixed {
  readonly sender: ECDH;
  readonly salt: Buffer;
  readonly isPadded: false;
}

/** Throws if the keys are not valid or the text is too long. */
export function encryptPush(keys: BrowserKeys, text: string, fixed?: Fixed): Buffer {
  const plain = Buffer.from(text);
  const size = fixed ? plain.length + 1 : PLAIN_BYTES;
  if (plain.length >= size) throw new Error(`a push message of ${plain.length} bytes is too long`);
  const record = Buffer.alloc(size);
  plain.copy(record);
  record[plain.length] = DELIMITER;

  const sender = fixed?.sender ?? newSender();
  const browser = Buffer.from(keys.p256dh, 'base64url');
  const own = sender.getPublicKey();
  const shared = sender.computeSecret(browser);
  const auth = Buffer.from(keys.auth, 'base64url');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser, own]);
  const input = hkdf(shared, auth, info, 32);
  const salt = fixed?.salt ?? randomBytes(16);
  const key = hkdf(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head[4] = own.length;
  return Buffer.concat([salt, head, own, cipher.update(record), cipher.final(), cipher.getAuthTag()]);
}

function newSender(): ECDH {
  const sender = createECDH('prime256v1');
  sender.generateKeys();
  return sender;
}

function hkdf(input: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, salt, info, length));
}
