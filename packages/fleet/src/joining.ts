/**
 * How a machine becomes a member (N25): it opens TLS to the deck with a new key, presents the code's secret and
 * gets its id, its NATS user and the key for its copies. The server in between sees none of it.
 */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Log } from '@tugdeck/local/log';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { createCertificate } from './certificates.ts';
import { machineCopyKey } from './copy/copy-cipher.ts';
import { Engine } from './engine.ts';
import { type DeckKeys, type MachineKeys, takeCode } from './fleet-files.ts';
import type { JoinCode } from './join-code.ts';
import { createSeed, publicKey, userToken } from './nats-tokens.ts';
import { secureStream } from './pinned-tls.ts';
import { SubjectStream } from './subject-stream.ts';
import { inboxOf, machinePermissions, SUBJECTS } from './subjects.ts';

const MAX_LINE = 16 * 1024;
const CONNECT_MS = 15_000;

const requestSchema = z.strictObject({
  secret: z.string().max(100),
  user: z.string().regex(/^U[A-Z2-7]{55}$/),
});

const admissionSchema = z.union([
  z.strictObject({
    id: z.string().regex(/^[0-9a-f]{16}$/),
    name: z.string().max(100),
    token: z.string().max(4_000),
    copyKey: z.base64(),
  }),
  z.strictObject({ refused: z.literal(true) }),
]);

/** What `config.json` of the deck says about a machine. */
export interface Member {
  readonly id: string;
  /** Fingerprint. */
  readonly certificate: string;
  /** Public key of its NATS user. */
  readonly user: string;
}

/** The machine's end. */
export async function joinFleet(code: JoinCode, log: Log): Promise<MachineKeys> {
  const { id, server, authority, token, seed } = code;
  const tls = createCertificate();
  const user = createSeed('user');
  const engine = new Engine({ server, authority, token, seed, log, inbox: inboxOf(id), name: `join ${id}` });
  try {
    if (!(await engine.whenConnected(CONNECT_MS))) throw unreachable(server, engine.fault);
    const connection = randomBytes(8).toString('hex');
    const under = new SubjectStream((message) => engine.publish(SUBJECTS.joinUp(id, connection), message));
    engine.subscribe(SUBJECTS.joinDown(id, connection), ({ data }) => under.receive(data));
    try {
      await engine.request(SUBJECTS.join(id), connection);
      const { stream } = await secureStream(under, {
        ...{ own: tls, isServer: false },
        isExpected: (fingerprint) => fingerprint === code.deck,
      });
      stream.write(`${JSON.stringify({ secret: code.secret, user: publicKey(user) })}\n`);
      const { data } = admissionSchema.safeParse(JSON.parse(await readLine(stream)));
      if (!data || 'refused' in data) throw refused();
      const { copyKey, name } = data;
      return {
        ...{ role: 'machine', id: data.id, name, user, token: data.token, tls, deck: code.deck, copyKey },
        ...(authority === undefined ? {} : { authority }),
      };
    } catch (error) {
      if (error instanceof CodedError) throw error;
      log.info('join', { error });
      throw new CodedError(
        'HOST_UNAVAILABLE',
        'The deck of the fleet does not answer.',
        'Check that Tugdeck is running there, with tugdeck fleet status.',
      );
    } finally {
      under.destroy();
    }
  } finally {
    await engine.close();
  }
}

export interface AdmitOptions {
  readonly data: Parameters<typeof takeCode>[0];
  readonly keys: DeckKeys;
  readonly now: () => number;
  /** Stores the member. Throws if it cannot. */
  readonly admit: (name: string, member: Member) => void;
}

/** The deck's end: `under` is a stream of somebody who knows the code's NATS user. */
export async function admitMachine(under: Duplex, code: string, options: AdmitOptions): Promise<string> {
  const { data, keys, now, admit } = options;
  const { stream, peer } = await secureStream(under, {
    ...{ own: keys.tls, isServer: true },
    isExpected: (fingerprint) => fingerprint !== '',
  });
  try {
    const { data: request } = requestSchema.safeParse(JSON.parse(await readLine(stream)));
    const name = request && takeCode(data, code, request.secret, now());
    if (!request || name === undefined) {
      stream.end(`${JSON.stringify({ refused: true })}\n`);
      throw new Error('refused');
    }
    const id = randomBytes(8).toString('hex');
    admit(name, { id, certificate: peer, user: request.user });
    const permissions = machinePermissions(id);
    const token = userToken(keys.seeds.account, { user: request.user, name, permissions });
    const copyKey = machineCopyKey(Buffer.from(keys.copyKey, 'base64'), id).toString('base64');
    await new Promise<void>((resolve) =>
      stream.end(`${JSON.stringify({ id, name, token, copyKey })}\n`, () => resolve()),
    );
    return name;
  } finally {
    // The other end closes it after it has read the answer.
    setTimeout(() => under.destroy(), CONNECT_MS).unref();
  }
}

function readLine(stream: Duplex): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error('no line')), CONNECT_MS);
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const end = text.indexOf('\n');
      if (end < 0 && text.length <= MAX_LINE) return;
      clearTimeout(timer);
      if (end < 0) reject(new Error('too long'));
      else resolve(text.slice(0, end));
    });
    stream.once('close', () => {
      clearTimeout(timer);
      reject(new Error('closed'));
    });
  });
}

function refused(): CodedError {
  return new CodedError(
    'HOST_UNAVAILABLE',
    'The deck refused this code.',
    'A code works once and for ten minutes. Get a new one with tugdeck fleet invite NAME.',
  );
}

function unreachable(server: string, fault: string | undefined): CodedError {
  return new CodedError(
    'HOST_UNAVAILABLE',
    `${server} can't be reached: ${fault ?? 'no answer'}.`,
    'Check the address, and that the code is not older than ten minutes.',
  );
}
