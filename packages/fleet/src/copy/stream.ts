/** The fleet's one stream (N35), through the API of NATS 2.9. */
import { type Engine, EngineError } from '../engine.ts';
import { COPIES, STREAM } from '../subjects.ts';

/** Codes of the stream's API. */
const NOT_FOUND = 10059;
const NO_MESSAGE = 10037;
const WRONG_SEQUENCE: ReadonlySet<number | undefined> = new Set([10071, 10164]);

export interface StoredMessage {
  readonly sequence: number;
  readonly data: Buffer;
}

/** Creates the stream if it does not exist. Only a deck may. */
export async function ensureStream(engine: Engine, replicas: number): Promise<void> {
  try {
    await engine.call(`STREAM.INFO.${STREAM}`);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== NOT_FOUND) throw error;
    await engine.call(`STREAM.CREATE.${STREAM}`, {
      ...{ name: STREAM, subjects: [COPIES], storage: 'file', num_replicas: replicas },
      // Without room, new lines wait in the journals; nothing is deleted to make room.
      ...{ retention: 'limits', discard: 'new', max_age: 0, max_msgs: -1, max_bytes: -1, max_consumers: -1 },
      ...{ allow_rollup_hdrs: true, allow_direct: true },
    });
  }
}

/** The last message of a subject, undefined if there is none. */
export async function lastMessage(engine: Engine, subject: string): Promise<StoredMessage | undefined> {
  return messageOf(await engine.request(`$JS.API.DIRECT.GET.${STREAM}.${subject}`, ''));
}

/** The first message of a subject from this sequence on. */
export async function nextMessage(
  engine: Engine,
  subject: string,
  sequence: number,
): Promise<StoredMessage | undefined> {
  const query = JSON.stringify({ seq: sequence, next_by_subj: subject });
  return messageOf(await engine.request(`$JS.API.DIRECT.GET.${STREAM}`, query));
}

/** The sequence of the last message as the leader knows it; a replica may be behind. */
export async function lastSequence(engine: Engine, subject: string): Promise<number | undefined> {
  try {
    const answer = await engine.call(`STREAM.MSG.GET.${STREAM}`, { last_by_subj: subject });
    return (answer as { message?: { seq?: number } }).message?.seq;
  } catch (error) {
    if (error instanceof EngineError && error.code === NO_MESSAGE) return undefined;
    throw error;
  }
}

interface StoreOptions {
  /** The sequence of the subject's last message, 0 without one: of several publishers, one succeeds. */
  readonly after: number;
  /** Deletes the messages before it in the same step. */
  readonly replaces?: boolean;
}

/** Returns the message's sequence; undefined if another message came first. */
export async function storeMessage(
  engine: Engine,
  subject: string,
  data: Buffer,
  { after, replaces = false }: StoreOptions,
): Promise<number | undefined> {
  const values = {
    'Nats-Expected-Last-Subject-Sequence': String(after),
    ...(replaces ? { 'Nats-Rollup': 'sub' } : {}),
  };
  const reply = await engine.request(subject, data, { values });
  const { seq, error } = JSON.parse(reply.data.toString()) as {
    seq?: number;
    error?: { err_code: number; description: string };
  };
  if (!error) return seq ?? 0;
  if (WRONG_SEQUENCE.has(error.err_code)) return undefined;
  throw new EngineError(error.description, error.err_code);
}

/** Deletes all messages of the subjects under `prefix`. Only a deck may. */
export async function purge(engine: Engine, prefix: string): Promise<void> {
  await engine.call(`STREAM.PURGE.${STREAM}`, { filter: `${prefix}.>` });
}

function messageOf({
  status,
  data,
  header,
}: Awaited<ReturnType<Engine['request']>>): StoredMessage | undefined {
  const sequence = Number(header('Nats-Sequence'));
  if (sequence > 0) return { sequence, data };
  if (status === 404) return undefined;
  throw new EngineError(`unexpected answer (${status})`);
}
