/**
 * Frames on the page's WebSocket (S1): u8 feed, u32 big-endian channel, payload. Channel 0 is the connection itself.
 * Feed numbers are frozen.
 */
export const FEED = {
  terminalOut: 0x00,
  terminalIn: 0x01,
  terminalControl: 0x02,
  files: 0x10,
  git: 0x20,
  stats: 0x30,
  conversationOut: 0x40,
  conversationIn: 0x41,
  deck: 0x50,
  review: 0x51,
  search: 0x52,
  settings: 0x53,
  /** Every area without its own byte. */
  area: 0x54,
} as const;
export type Feed = (typeof FEED)[keyof typeof FEED];

export const MAX_FRAME_IN = 1024 * 1024;
export const MAX_FRAME_OUT = 4 * 1024 * 1024;
const HEAD = 5;

export interface Frame {
  readonly feed: number;
  readonly channel: number;
  readonly payload: Uint8Array;
}

export function encodeFrame(feed: Feed, channel: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(HEAD + payload.length);
  const view = new DataView(frame.buffer);
  view.setUint8(0, feed);
  view.setUint32(1, channel);
  frame.set(payload, HEAD);
  return frame;
}

/** Undefined if the frame is too short for its head. */
export function decodeFrame(bytes: Uint8Array): Frame | undefined {
  if (bytes.length < HEAD) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { feed: view.getUint8(0), channel: view.getUint32(1), payload: bytes.subarray(HEAD) };
}
