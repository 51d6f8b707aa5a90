/** Limits on everything that arrives over a link: a machine has the limits of a page (N21). */
import { MAX_DOCUMENT } from '@tugdeck/protocol/conversation/sendable';
import { MAX_TEXT } from '@tugdeck/protocol/files/messages';
import { MAX_FRAME_IN } from '@tugdeck/protocol/wire/frames';

const MIB = 1024 * 1024;

export const LINK_LIMITS = {
  /** Bytes of login banners before the greeting (N5). */
  banner: 64 * 1024,
  greeting: 1024,
  /** One message of a machine: the longest line of a session host, with its envelope. */
  fromMachine: 8 * MIB + 64 * 1024,
  /** One message to a machine: a page's frame, with its envelope. */
  toMachine: MAX_FRAME_IN + 64 * 1024,
  /** A stored text that is sent to a machine: base64 of an attached file. */
  storedText: 2 * MAX_DOCUMENT,
  /** A file's text as JSON, whose escapes take at most six bytes for one. */
  fileText: 6 * MAX_TEXT + 64 * 1024,
  /** Depth of a message's JSON, which is encoded again for pages. */
  nesting: 256,
  /** Streams of one link: calls, channels and files of all pages. */
  streams: 4096,
  /** Unread bytes of one stream; an unread stream slows no other (N11). */
  streamWindow: 256 * 1024,
  linkWindow: 16 * MIB,
  /** Above this many unsent bytes, a channel is paused until they are sent. */
  unsent: MIB,
  /** Memory of the HTTP/2 session, in megabytes. */
  sessionMemory: 64,
};

/** Durations of a link. `silentMs`: a link that received nothing for this long is dead (N8). */
export interface LinkTimings {
  readonly silentMs: number;
  /** From the start of the carrier to the greeting: ssh may ask the user for a password. */
  readonly greetingMs: number;
}

export const LINK_TIMINGS: LinkTimings = { silentMs: 15_000, greetingMs: 60_000 };
