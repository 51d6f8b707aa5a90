/**
 * Encryption of copies (AES-256-GCM). Each machine has its own key, which only the deck can derive too, and uses another
 * one for each session; so no machine can read or forge a copy of another one. A message is bound to its subject.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE;

export function createCopyKey(): Buffer {
  return randomBytes(32);
}

export function machineCopyKey(fleet: Buffer, member: string): Buffer {
  return derived(fleet, `machine ${member}`);
}

export function sessionCopyKey(machine: Buffer, session: string): Buffer {
  return derived(machine, `session ${session}`);
}

function derived(key: Buffer, about: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'tugdeck-copy', about, 32));
}

export function encrypt(key: Buffer, subject: string, contents: Buffer): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(subject));
  const hidden = [cipher.update(contents), cipher.final()];
  return Buffer.concat([Buffer.from([VERSION]), nonce, ...hidden, cipher.getAuthTag()]);
}

/** Throws if somebody without the key wrote it, or it is from another subject. */
export function decrypt(key: Buffer, subject: string, message: Buffer): Buffer {
  if (message[0] !== VERSION || message.length < HEAD + TAG) throw new Error('not a message of a copy');
  const decipher = createDecipheriv(CIPHER, key, message.subarray(1, HEAD)).setAAD(Buffer.from(subject));
  decipher.setAuthTag(message.subarray(message.length - TAG));
  return Buffer.concat([decipher.update(message.subarray(HEAD, message.length - TAG)), decipher.final()]);
}
