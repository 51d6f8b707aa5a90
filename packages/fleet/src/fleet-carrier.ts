/** A link's carrier through NATS: TLS with both certificates pinned, over two subjects (N24). Both ends. */
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Carrier } from '@tugdeck/link/carrier';
import type { Certificate } from './certificates.ts';
import type { Engine } from './engine.ts';
import type { Member } from './joining.ts';
import { secureStream } from './pinned-tls.ts';
import { SubjectStream } from './subject-stream.ts';
import { SUBJECTS } from './subjects.ts';

const DIAL_MS = 5_000;
/** Handshakes at the same time; everybody with rights at the server can start one. */
const MAX_HANDSHAKES = 16;
export const CONNECTION = /^[0-9a-f]{16}$/;

/** The deck's end. `from` ends when the machine can't be reached. */
export function dialMachine(engine: Engine, { id, certificate }: Member, own: Certificate): Carrier {
  const connection = randomBytes(8).toString('hex');
  const from = new PassThrough();
  const to = new PassThrough();
  for (const end of [from, to]) end.on('error', () => undefined);
  let fault = '';
  const under = new SubjectStream((message) => engine.publish(SUBJECTS.up(id, connection), message));
  const unsubscribe = engine.subscribe(SUBJECTS.down(id, connection), ({ data }) => under.receive(data));
  const unwatch = engine.onChange(() => under.destroy());
  const ended = new Promise<void>((resolve) => under.once('close', () => resolve()));
  void ended.then(() => {
    unsubscribe();
    unwatch();
    from.destroy();
    to.destroy();
  });
  const open = async () => {
    await engine.request(SUBJECTS.dial(id), connection, { timeout: DIAL_MS });
    const { stream } = await secureStream(under, {
      ...{ own, isServer: false },
      isExpected: (fingerprint) => fingerprint === certificate,
    });
    stream.on('error', () => under.destroy());
    stream.pipe(from);
    to.pipe(stream);
  };
  under.on('error', (error) => {
    fault ||= error.message;
  });
  open().catch((error: unknown) => {
    fault ||= describeFault(engine, error);
    under.destroy();
  });
  return { from, to, ended, errors: () => fault, close: () => under.destroy() };
}

function describeFault(engine: Engine, error: unknown): string {
  if (!engine.isConnected) return `The fleet's server can't be reached: ${engine.fault ?? 'no answer'}.`;
  const text = error instanceof Error ? error.message : String(error);
  return text.includes('no responders') ? 'It is not connected to the fleet’s server.' : text;
}

export interface ServedCarriers {
  close(): void;
}

/** The machine's end: calls `serve` with each stream of the deck, and of nobody else. */
export function serveCarriers(
  engine: Engine,
  { id, own, deck }: { readonly id: string; readonly own: Certificate; readonly deck: string },
  serve: (stream: TLSSocket) => void,
): ServedCarriers {
  const open = new Set<SubjectStream>();
  let handshakes = 0;
  const closeAll = () => {
    for (const stream of open) stream.destroy();
  };
  const unwatch = engine.onChange(closeAll);
  const end = engine.subscribe(SUBJECTS.dial(id), (message) => {
    const connection = message.data.toString();
    if (!CONNECTION.test(connection) || handshakes >= MAX_HANDSHAKES) return;
    handshakes++;
    const under = new SubjectStream((bytes) => engine.publish(SUBJECTS.down(id, connection), bytes));
    const unsubscribe = engine.subscribe(SUBJECTS.up(id, connection), ({ data }) => under.receive(data));
    open.add(under);
    under.once('close', () => {
      open.delete(under);
      unsubscribe();
    });
    message.reply(Buffer.alloc(0));
    secureStream(under, { own, isServer: true, isExpected: (fingerprint) => fingerprint === deck })
      .then(
        ({ stream }) => serve(stream),
        () => undefined, // Somebody else; nothing of it was read.
      )
      .finally(() => {
        handshakes--;
      });
  });
  return {
    close() {
      end();
      unwatch();
      closeAll();
    },
  };
}
