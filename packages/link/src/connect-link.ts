/** The deck's end of a link: reads the greeting, then implements the machine's port on HTTP/2 streams. */
import type { Readable, Writable } from 'node:stream';
import type { Machine } from '@tugdeck/machine/port';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { LINK_OLDEST, LINK_VERSION } from '@tugdeck/protocol/wire/version';
import { ByteStream } from './byte-stream.ts';
import { type Greeted, type LinkVersions, readGreeting } from './greeting.ts';
import { LINK_LIMITS, LINK_TIMINGS, type LinkTimings } from './link-limits.ts';
import { MessageStream } from './message-stream.ts';
import { machineOver } from './port-over-link.ts';
import { watchPulse } from './pulse.ts';

export interface ConnectLinkOptions {
  readonly timings?: LinkTimings;
  readonly versions?: LinkVersions;
}

export interface Link {
  readonly greeted: Greeted;
  readonly machine: Machine;
  /** Resolves when the link is closed, for any reason. */
  readonly closed: Promise<void>;
  close(): void;
}

/** Rejects with a coded error if the other end is not Tugdeck, or a version that cannot be used. */
export async function connectLink(
  from: Readable,
  to: Writable,
  { timings = LINK_TIMINGS, versions }: ConnectLinkOptions = {},
): Promise<Link> {
  const bytes = new ByteStream(from, to);
  bytes.on('error', () => undefined); // Followed by `close`.
  const closed = new Promise<void>((resolve) => bytes.once('close', () => resolve()));
  const timer = setTimeout(() => bytes.destroy(), timings.greetingMs);
  let greeted: Greeted;
  try {
    greeted = await readGreeting(bytes, versions ?? { newest: LINK_VERSION, oldest: LINK_OLDEST });
  } catch (error) {
    bytes.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const { connect } = await import('node:http2');
  const session = connect('http://machine', {
    createConnection: () => bytes.useForHttp2(),
    maxSessionMemory: LINK_LIMITS.sessionMemory,
    // Until the machine's settings arrive.
    peerMaxConcurrentStreams: LINK_LIMITS.streams,
    settings: { enablePush: false, initialWindowSize: LINK_LIMITS.streamWindow },
  });
  session.on('error', () => undefined); // Followed by `close`.
  session.once('connect', () => {
    if (!session.destroyed) session.setLocalWindowSize(LINK_LIMITS.linkWindow);
  });
  session.once('close', () => bytes.destroy());
  const stopPulse = watchPulse(session, bytes, timings.silentMs, () => bytes.destroy());
  void closed.then(() => {
    stopPulse();
    session.destroy();
  });
  let streams = 0;
  const openStream = (limit: number): MessageStream => {
    if (session.destroyed || session.closed) throw new CodedError('HOST_UNAVAILABLE');
    if (streams >= LINK_LIMITS.streams) throw new CodedError('TOO_MANY');
    streams++;
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    stream.once('close', () => {
      streams--;
    });
    return new MessageStream(stream, limit);
  };
  return {
    greeted,
    machine: machineOver(greeted.machine, openStream),
    closed,
    close: () => bytes.destroy(),
  };
}
