/**
 * One lifetime of the port. Its key exists only in memory; once the port is released, no earlier sign-in is valid
 * (X1).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Instance {
  readonly id: string;
  readonly key: Buffer;
}

export function newInstance(): Instance {
  return { id: randomBytes(16).toString('base64url'), key: randomBytes(32) };
}

/** Derives a sign-in's secret, so that nothing on disk grants access. */
export function secretOf({ key }: Instance, signIn: string): Buffer {
  return createHmac('sha256', key).update(`sign-in ${signIn}`).digest();
}

export function macOf(secret: Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

export function verifyMac(secret: Buffer, text: string, given: string): boolean {
  const expected = createHmac('sha256', secret).update(text).digest();
  const bytes = Buffer.from(given, 'base64url');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
