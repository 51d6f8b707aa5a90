import { concatBytes } from './concat-bytes.ts';

/**
 * The frames of TerminalLink: u32 big-endian length, u8 kind, payload. Pure; a frame above the limit breaks the link.
 */
export const LINK_FRAME = { json: 0, bytes: 1 } as const;
/** Maximum payload of a frame, in both directions. */
export const MAX_LINK_FRAME = 1024 * 1024;
const HEAD = 5;

export interface LinkFrameHandler {
  /** UTF-8 bytes; the caller decodes them, because this package has no decoder. */
  json(payload: Uint8Array): void;
  bytes(data: Uint8Array): void;
  /** Not this protocol: reading stops. */
  broken(why: string): void;
}

export function linkFrameHead(kind: number, length: number): Uint8Array {
  const head = new Uint8Array(HEAD);
  const view = new DataView(head.buffer);
  view.setUint32(0, length);
  view.setUint8(4, kind);
  return head;
}

/** Takes pieces as they arrive and reports each complete frame. */
export function createLinkFrameReader(handler: LinkFrameHandler): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = [];
  let size = 0;
  let needed = HEAD;
  let kind = -1;
  let isBroken = false;

  const take = (): Uint8Array => {
    const whole = concatBytes(parts, size);
    parts = [];
    size = 0;
    return whole;
  };
  const fail = (why: string) => {
    isBroken = true;
    handler.broken(why);
  };
  const finish = () => {
    const whole = take();
    if (kind >= 0) {
      const frameKind = kind;
      kind = -1;
      needed = HEAD;
      if (frameKind === LINK_FRAME.json) handler.json(whole);
      else handler.bytes(whole);
      return;
    }
    const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
    needed = view.getUint32(0);
    kind = view.getUint8(4);
    if (needed > MAX_LINK_FRAME) fail('a frame above the limit');
    else if (kind !== LINK_FRAME.json && kind !== LINK_FRAME.bytes) fail('a frame of an unknown kind');
  };

  return (chunk) => {
    let from = 0;
    while (!isBroken && (from < chunk.length || needed === size)) {
      const part = chunk.subarray(from, from + needed - size);
      from += part.length;
      if (part.length > 0) parts.push(part);
      size += part.length;
      if (size < needed) return;
      finish();
    }
  };
}
