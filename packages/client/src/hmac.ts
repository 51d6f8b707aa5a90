/** HMAC-SHA-256 for browsers without `crypto.subtle` (plain HTTP on another address). Loaded only then. */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

export function hmacSha256(key: Uint8Array, text: Uint8Array): Uint8Array {
  return hmac(sha256, key, text);
}
