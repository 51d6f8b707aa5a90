/**
 * One life of the port. Its key is made when the port is taken, is kept in memory only, and is gone when the port was let
 * go: then no sign-in of before holds, whoever has its secret (X1).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Instance {
  readonly id: string;
  readonly key: Buffer;
}

export function newInstance(): Instance {
  return { id: randomBytes(16).toString('base64url'), key: randomBytes(32) };
}

/** The secret of a sign-in is derived, so that nothing on disk lets anybody in. */
export function secretOf({ key }: Instance, signIn: string): Buffer {
  return createHmac('sha256', key).update(`sign-in ${signIn}`).digest();
}

export function macOf(secret: Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

export function isMac(secret: Buffer, text: string, given: string): boolean {
  const expected = createHmac('sha256', secret).update(text).digest();
  const bytes = Buffer.from(given, 'base64url');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
