/**
 * A machine's port on the streams of a link. Everything that arrives is validated; an invalid message closes its
 * stream and nothing else (N21).
 */
import { PassThrough } from 'node:stream';
import {
  type AreaChannel,
  type AreaOutput,
  type Channel,
  type DeckPush,
  type Machine,
  type MachineFiles,
  type PageChannel,
  type RawFile,
  refusedChannel,
  type Upload,
} from '@tugdeck/machine/port';
import type { SaveAnswer } from '@tugdeck/protocol/files/messages';
import { deckMessageSchema, deckSchema } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { ANSWERS, CALLS, type CallInput, type CallName, type CallOutput, type Open } from './calls.ts';
import { LINK_LIMITS } from './link-limits.ts';
import type { MessageStream } from './message-stream.ts';
import { codedError, errorSchema, lostError, replySchema } from './replies.ts';

export type OpenStream = (limit: number) => MessageStream;

/** Bytes per message of a file. */
const PIECE = 64 * 1024;
/** A blob is a text over 64 KB that a page loads whole, at most an attached file. */
const MAX_BLOB = LINK_LIMITS.storedText;

const deckPushSchema: z.ZodType<DeckPush> = z.union([
  z.object({ type: z.literal('whole'), deck: deckSchema }),
  deckMessageSchema.transform((message, context): Exclude<DeckPush, { type: 'whole' }> => {
    const { type } = message;
    if (type === 'deck' || type === 'rows' || type === 'session' || type === 'show') return message;
    context.addIssue({ code: 'custom', message: 'not from a machine' });
    return z.NEVER;
  }),
]) as z.ZodType<DeckPush>;

const openedSchema = z.union([
  z.strictObject({ opened: z.literal(true) }),
  z.strictObject({ error: errorSchema }),
]);
const areaMessageSchema = z.union([
  z.object({ push: z.unknown() }).strict(),
  z.object({ re: z.string().max(100), error: errorSchema }),
  z.object({ re: z.string().max(100), value: z.unknown() }),
]);

export function machineOver(id: string, openStream: OpenStream): Machine {
  const call = <K extends CallName>(name: K, input: CallInput<K>) => request(openStream, name, input);
  return {
    id,
    files: filesOver(openStream),
    openDeck(send) {
      return follow(openStream, { open: 'deck' }, (value) => {
        const { data } = z.object({ push: deckPushSchema }).safeParse(value);
        if (data) send(data.push);
        return data !== undefined;
      }).channel;
    },
    openChannel(session, send): PageChannel {
      const { channel, messages } = follow(openStream, { open: 'channel', session }, () => false, {
        texts: send,
      });
      return Object.assign(channel, {
        request: (message: Parameters<PageChannel['request']>[0]) => messages?.sendJson(message),
      });
    },
    openArea: (name, about, out) => openArea(openStream, name, about, out),
    perform: (command) => call('perform', [command]),
    isStored: (session) => call('isStored', [session]),
    async readBlob(session, hash) {
      const { value, messages } = await opened(openStream, { open: 'read-blob', session, hash });
      if (value === null || value === undefined) return undefined;
      return collect(messages, MAX_BLOB);
    },
    storeBlob: (session, text) =>
      sent(openStream, { open: 'store-blob', session }, Buffer.from(text), ANSWERS.blob),
    browse: (path) => call('browse', [path]) as ReturnType<Machine['browse']>,
    describeConfig: (project, agent) => call('describeConfig', [project, agent]),
    openProject: (directory, _environment, options) => call('openProject', [directory, options]),
    prepareSession({ create, ...rest }) {
      const { environment: _, ...created } = create ?? {};
      const request = { ...rest, ...(create ? { create: created } : {}) };
      return call('prepareSession', [request as CallInput<'prepareSession'>[0]]) as ReturnType<
        Machine['prepareSession']
      >;
    },
    workspaces: (directory, _environment, asked) => call('workspaces', [directory, asked]),
    placement: () => call('placement', []),
    status: () => call('status', []) as ReturnType<Machine['status']>,
    search: (search) => call('search', [search]),
    rebuildIndex: () => call('rebuildIndex', []),
  };
}

function filesOver(openStream: OpenStream): MachineFiles {
  return {
    find: (project, query) => request(openStream, 'find', [project, query]),
    readText: (project, path, known) => request(openStream, 'readText', [project, path, known ?? null]),
    save: (project, path, bytes, expected): Promise<SaveAnswer> =>
      sent(
        openStream,
        { open: 'save', project, path, ...(expected === undefined ? {} : { expected }) },
        bytes,
        ANSWERS.saved,
      ),
    openRaw: (project, path, limit) => openRaw(openStream, { open: 'raw', project, path, limit }),
    receive: (project, path, upload) => sendUpload(openStream, project, path, upload),
  };
}

async function request<K extends CallName>(
  openStream: OpenStream,
  name: K,
  input: CallInput<K>,
): Promise<CallOutput<K>> {
  const spec: { output: z.ZodType; limit?: number } = CALLS[name];
  const { value, messages } = await opened(openStream, { open: 'call', name, input }, spec.limit);
  messages.destroy();
  return parsed(spec.output, value) as CallOutput<K>;
}

/** Opens a stream and reads its reply; bytes that follow wait until they are read. */
async function opened(
  openStream: OpenStream,
  open: Open,
  limit: number = LINK_LIMITS.fromMachine,
): Promise<{ value: unknown; messages: MessageStream }> {
  const messages = openStream(limit);
  messages.sendJson(open);
  messages.end();
  return { value: await replyOf(messages), messages };
}

function replyOf(messages: MessageStream): Promise<unknown> {
  return new Promise((resolve, reject) => {
    messages.handle({
      json(reply) {
        const { data } = replySchema.safeParse(reply);
        messages.pause();
        messages.handle({});
        if (data && !('error' in data)) resolve(data.value);
        else reject(data ? codedError(data.error) : unexpected());
      },
      closed: () => reject(lostError()),
    });
  });
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw unexpected();
  return result.data;
}

function unexpected(): CodedError {
  return new CodedError('INTERNAL_ERROR', 'The machine sent an unexpected reply.');
}

/** Sends bytes after the first message and returns the result. */
async function sent<T>(openStream: OpenStream, open: Open, bytes: Buffer, schema: z.ZodType<T>): Promise<T> {
  const messages = openStream(LINK_LIMITS.fileText);
  messages.sendJson(open);
  for (let at = 0; at < bytes.length; at += PIECE) messages.sendBytes(bytes.subarray(at, at + PIECE));
  messages.end();
  const value = await replyOf(messages);
  messages.destroy();
  return parsed(schema, value);
}

async function sendUpload(
  openStream: OpenStream,
  project: string,
  path: string,
  { body, announced, limit }: Upload,
): Promise<void> {
  const messages = openStream(LINK_LIMITS.fromMachine);
  messages.sendJson({
    ...{ open: 'receive', project, path, limit },
    ...(announced === undefined ? {} : { announced }),
  });
  let drained: () => void = () => undefined;
  let isCongested = false;
  const reply = new Promise<unknown>((resolve, reject) => {
    messages.handle({
      json(value) {
        const { data } = replySchema.safeParse(value);
        if (data && !('error' in data)) resolve(data.value);
        else reject(data ? codedError(data.error) : unexpected());
      },
      congested: () => {
        isCongested = true;
      },
      drained: () => {
        isCongested = false;
        drained();
      },
      closed: () => reject(lostError()),
    });
  });
  const sending = (async () => {
    for await (const chunk of body) {
      const bytes = chunk as Buffer;
      for (let at = 0; at < bytes.length; at += PIECE) messages.sendBytes(bytes.subarray(at, at + PIECE));
      if (isCongested) {
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
      }
    }
    messages.end();
    return reply;
  })();
  // The machine may refuse before everything is sent.
  await Promise.race([sending, reply]).finally(() => {
    drained();
    body.resume();
    messages.destroy();
  });
}

async function openRaw(openStream: OpenStream, open: Extract<Open, { open: 'raw' }>): Promise<RawFile> {
  const { value, messages } = await opened(openStream, open);
  const { size } = parsed(ANSWERS.raw, value);
  if (size > open.limit) {
    messages.destroy();
    throw new CodedError('FILE_TOO_LARGE');
  }
  const content = new PassThrough();
  let rest = size;
  let hasEnded = false;
  content.on('drain', () => messages.resume());
  content.on('close', () => messages.destroy());
  messages.handle({
    bytes(data) {
      rest -= data.length;
      if (rest < 0) content.destroy(unexpected());
      else if (!content.write(Buffer.from(data))) messages.pause();
    },
    ended() {
      hasEnded = rest === 0;
      if (hasEnded) content.end();
    },
    closed() {
      if (!hasEnded) content.destroy(lostError());
    },
  });
  messages.resume();
  return { size, content };
}

function collect(messages: MessageStream, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    messages.handle({
      bytes(data) {
        length += data.length;
        if (length > limit) {
          messages.destroy();
          reject(new CodedError('PAYLOAD_TOO_LARGE'));
        } else parts.push(Buffer.from(data));
      },
      ended: () => resolve(Buffer.concat(parts)),
      closed: () => reject(lostError()),
    });
    messages.resume();
  });
}

interface Followed {
  readonly channel: Channel;
  /** Undefined if the link cannot open a stream. */
  readonly messages: MessageStream | undefined;
}

/** Opens a stream in both directions. `json` returns whether a message after the opening was valid. */
function follow(
  openStream: OpenStream,
  open: Open,
  json: (value: unknown) => boolean,
  other: { texts?(texts: readonly string[]): void; bytes?(data: Buffer): void; closed?(): void } = {},
): Followed {
  let messages: MessageStream;
  try {
    messages = openStream(LINK_LIMITS.fromMachine);
  } catch (error) {
    return { channel: refusedChannel(error), messages: undefined };
  }
  let isClosed = false;
  let isOpen = false;
  const begun = defer();
  const lost = defer();
  messages.handle({
    json(value) {
      const { data } = isOpen ? {} : openedSchema.safeParse(value);
      if (data && 'error' in data) {
        isClosed = true;
        begun.reject(codedError(data.error));
        messages.destroy();
      } else if (data) {
        isOpen = true;
        begun.resolve();
      } else if (!isClosed && !json(value)) messages.destroy();
    },
    texts: (texts) => {
      if (!isClosed) other.texts?.(texts);
    },
    bytes: (data) => {
      if (!isClosed) other.bytes?.(data);
    },
    closed() {
      begun.reject(lostError());
      other.closed?.();
      if (!isClosed) lost.resolve();
    },
  });
  messages.sendJson(open);
  const channel = {
    opened: begun.promise,
    lost: lost.promise,
    pause: () => messages.pause(),
    resume: () => messages.resume(),
    close: () => {
      isClosed = true;
      messages.destroy();
    },
  };
  return { channel, messages };
}

function openArea(openStream: OpenStream, name: string, about: unknown, out: AreaOutput): AreaChannel {
  const pending = new Map<string, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let last = 0;
  const { channel, messages } = follow(
    openStream,
    { open: 'area', name, about },
    (value) => {
      const { data } = areaMessageSchema.safeParse(value);
      if (!data) return false;
      if ('push' in data) out.push(data.push);
      else {
        const waiting = pending.get(data.re);
        pending.delete(data.re);
        if ('error' in data) waiting?.reject(codedError(data.error));
        else waiting?.resolve(data.value);
      }
      return true;
    },
    {
      bytes: (data) => out.bytes(data),
      closed: () => {
        for (const { reject } of pending.values()) reject(lostError());
        pending.clear();
      },
    },
  );
  return Object.assign(channel, {
    call: (ask: Readonly<Record<string, unknown>>) =>
      new Promise<unknown>((resolve, reject) => {
        if (!messages?.isOpen) return reject(lostError());
        const id = String(++last);
        pending.set(id, { resolve, reject });
        messages.sendJson({ id, ask });
      }),
    bytes: (data: Uint8Array) => messages?.sendBytes(data),
  });
}

function defer() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
