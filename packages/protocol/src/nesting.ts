/** How deep a JSON text is nested, without parsing it: encoding a deep value again overflows the stack. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside of strings; all relevant bytes are ASCII. */
export function isDeeperThan(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) at += inString ? 1 : 0;
    else if (!inString && (byte === 0x5b || byte === 0x7b)) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (!inString && (byte === 0x5d || byte === 0x7d)) depth -= 1;
  }
  return false;
}
