/**
 * The machine's end of a link: greets, then serves the port on HTTP/2 streams that the deck opens. It opens none
 * itself, so a machine can request nothing from a deck (N22).
 */
import type { ServerHttp2Stream } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import type { Log } from '@tugdeck/local/log';
import type { Environment, Machine } from '@tugdeck/machine/port';
import { LINK_OLDEST, LINK_VERSION } from '@tugdeck/protocol/wire/version';
import { ByteStream } from './byte-stream.ts';
import { openSchema } from './calls.ts';
import { type LinkVersions, readAnswer, sendGreeting } from './greeting.ts';
import { LINK_LIMITS, LINK_TIMINGS, type LinkTimings } from './link-limits.ts';
import { MessageStream } from './message-stream.ts';
import { watchPulse } from './pulse.ts';
import { answerStream } from './served-streams.ts';

export interface ServeLinkOptions {
  readonly machine: Machine;
  readonly build: string;
  /** For programs of projects that the deck opens. */
  readonly environment: Environment;
  readonly log: Log;
  readonly timings?: LinkTimings;
  readonly versions?: LinkVersions;
}

/** Resolves when the link is closed, for any reason; nothing of it stays open then (N8). */
export async function serveLink(from: Readable, to: Writable, options: ServeLinkOptions): Promise<void> {
  const { machine, build, log, timings = LINK_TIMINGS } = options;
  const versions = options.versions ?? { newest: LINK_VERSION, oldest: LINK_OLDEST };
  const bytes = new ByteStream(from, to);
  bytes.on('error', () => undefined); // Followed by `close`.
  const closed = new Promise<void>((resolve) => bytes.once('close', () => resolve()));
  sendGreeting(bytes, { ...versions, machine: machine.id, build });
  const greeting = setTimeout(() => bytes.destroy(), timings.silentMs);
  try {
    await readAnswer(bytes, versions);
  } catch {
    bytes.destroy();
    return closed;
  } finally {
    clearTimeout(greeting);
  }
  const { performServerHandshake } = await import('node:http2');
  const session = performServerHandshake(bytes.useForHttp2(), {
    maxSessionMemory: LINK_LIMITS.sessionMemory,
    settings: {
      enablePush: false,
      initialWindowSize: LINK_LIMITS.streamWindow,
      maxConcurrentStreams: LINK_LIMITS.streams,
    },
  });
  session.setLocalWindowSize(LINK_LIMITS.linkWindow);
  const open = new Set<Promise<unknown>>();
  session.on('stream', (stream: ServerHttp2Stream) => {
    const gone: Promise<unknown> = new Promise((resolve) => stream.once('close', resolve)).then(() =>
      open.delete(gone),
    );
    open.add(gone);
    stream.respond({ ':status': 200 });
    const messages: MessageStream = new MessageStream(stream, LINK_LIMITS.toMachine, {
      json(value) {
        const { data } = openSchema.safeParse(value);
        if (data) answerStream(messages, data, options);
        else messages.destroy();
      },
    });
  });
  session.on('error', (error) => log.info('link', { error }));
  const stopPulse = watchPulse(session, bytes, timings.silentMs, () => {
    log.info('link silent');
    bytes.destroy();
  });
  session.once('close', () => bytes.destroy());
  await closed;
  stopPulse();
  session.destroy();
  await Promise.all(open);
}
