/**
 * Parses a page's message. Invalid JSON and deeply nested values become `undefined`, which no schema accepts: unknown
 * fields are forwarded, and encoding them recurses.
 */
import { isDeeperThan } from '@tugdeck/protocol/nesting';
import { parseJson } from '@tugdeck/protocol/parse-json';

const DECODER = new TextDecoder('utf-8', { fatal: true });

export function parseMessage(payload: Uint8Array, maxDepth: number): unknown {
  if (isDeeperThan(payload, maxDepth)) return undefined;
  try {
    return parseJson(DECODER.decode(payload));
  } catch {
    return undefined;
  }
}
