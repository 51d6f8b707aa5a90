/**
 * The code that is typed to pair a device which cannot scan one (N54): eight characters that are hard to confuse, 40
 * bits. It is valid for ten minutes, and attempts are slowed down like wrong passwords.
 */
import { randomBytes } from 'node:crypto';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export function newCode(): string {
  const text = Array.from(randomBytes(8), (byte) => LETTERS[byte % LETTERS.length]).join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/** As it was meant, whatever its case and spaces, with O and I for 0 and 1. */
export function plainCode(typed: string): string {
  return typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
}
