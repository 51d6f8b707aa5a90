/** Answers one stream of a deck from the machine's port. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Log } from '@tugdeck/local/log';
import { type Channel, type Environment, isPageRequest, type Machine } from '@tugdeck/machine/port';
import { MAX_TEXT } from '@tugdeck/protocol/files/messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { feedAskSchema } from '@tugdeck/protocol/wire/feeds';
import { hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { CALLS, type CallName, type CallOutput, type Open } from './calls.ts';
import { LINK_LIMITS } from './link-limits.ts';
import type { MessageStream } from './message-stream.ts';
import { errorReply } from './replies.ts';

export interface ServedPort {
  readonly machine: Machine;
  readonly environment: Environment;
  readonly log: Log;
}

/** Bytes per message of a file. */
const PIECE = 64 * 1024;

export function answerStream(messages: MessageStream, open: Open, port: ServedPort): void {
  const { machine, log } = port;
  /** Sends the result, or why there is none, and ends the stream. */
  const reply = (result: Promise<unknown>) => {
    result.then(
      (value) => {
        messages.sendJson({ value: value ?? null });
        messages.end();
      },
      (error: unknown) => {
        if (!(error instanceof CodedError)) log.error('link', { open: open.open, error });
        messages.sendJson(errorReply(error));
        messages.end();
      },
    );
  };
  messages.handle({});
  switch (open.open) {
    case 'call':
      reply(call(port, open.name, open.input));
      return;
    case 'deck':
      follow(
        messages,
        machine.openDeck((push) => messages.sendJson({ push })),
        {},
      );
      return;
    case 'channel':
      serveChannel(messages, machine, open.session);
      return;
    case 'area':
      serveArea(messages, port, open.name, open.about);
      return;
    case 'read-blob':
      void sendBlob(messages, machine, open.session, open.hash);
      return;
    case 'store-blob':
      reply(
        collect(messages, LINK_LIMITS.storedText).then((bytes) =>
          machine.storeBlob(open.session, bytes.toString()),
        ),
      );
      return;
    case 'save':
      reply(
        collect(messages, MAX_TEXT).then((bytes) =>
          machine.files.save(open.project, open.path, bytes, open.expected),
        ),
      );
      return;
    case 'raw':
      void sendFile(messages, machine, open);
      return;
    case 'receive': {
      const { project, path, announced, limit } = open;
      reply(machine.files.receive(project, path, { body: bodyOf(messages), announced, limit }));
    }
  }
}

async function call(
  { machine, environment }: ServedPort,
  name: CallName,
  given: unknown,
): Promise<CallOutput<CallName>> {
  const parse = <K extends CallName>(key: K) => {
    const parsed = CALLS[key].input.safeParse(given);
    if (!parsed.success) throw new CodedError('INVALID_MESSAGE');
    return parsed.data as ReturnType<(typeof CALLS)[K]['input']['parse']>;
  };
  switch (name) {
    case 'perform':
      return machine.perform(parse(name)[0] as Parameters<Machine['perform']>[0]);
    case 'isStored':
      return machine.isStored(parse(name)[0]);
    case 'browse':
      return machine.browse(parse(name)[0]) as Promise<CallOutput<'browse'>>;
    case 'describeConfig':
      return machine.describeConfig(...parse(name));
    case 'openProject': {
      const [directory, options] = parse(name);
      return machine.openProject(fromHome(directory), environment, options);
    }
    case 'prepareSession': {
      const [{ create, ...request }] = parse(name);
      const created = create ? { ...create, directory: fromHome(create.directory), environment } : undefined;
      return machine.prepareSession({ ...request, create: created }) as Promise<CallOutput<'prepareSession'>>;
    }
    case 'workspaces': {
      const [directory, request] = parse(name);
      return machine.workspaces(fromHome(directory), environment, request);
    }
    case 'placement':
      return machine.placement() as Promise<CallOutput<'placement'>>;
    case 'status':
      return machine.status() as Promise<CallOutput<'status'>>;
    case 'search':
      return machine.search(parse(name)[0]);
    case 'rebuildIndex':
      return machine.rebuildIndex();
    case 'find':
      return machine.files.find(...parse(name));
    case 'readText': {
      const [project, path, known] = parse(name);
      return machine.files.readText(project, path, known ?? undefined);
    }
  }
}

/** As for `ssh` and `scp`: paths start in the user's home directory. */
function fromHome(path: string): string {
  return resolve(homedir(), path.replace(/^~(?:\/|$)/, ''));
}

/** Connects a channel's life and flow to its stream. */
function follow(
  messages: MessageStream,
  channel: Channel,
  received: { json?(value: unknown): void; bytes?(data: Buffer): void },
): void {
  messages.handle({
    ...received,
    congested: () => channel.pause(),
    drained: () => channel.resume(),
    ended: () => messages.end(),
    closed: () => channel.close(),
  });
  channel.opened.then(
    () => messages.sendJson({ opened: true }),
    (error: unknown) => {
      messages.sendJson(errorReply(error));
      messages.end();
    },
  );
}

function serveChannel(messages: MessageStream, machine: Machine, session: string): void {
  const channel = machine.openChannel(session, (texts) => {
    for (const batch of batches(texts)) messages.sendTexts(batch);
  });
  follow(messages, channel, {
    json(value) {
      const { data: request } = hostRequestSchema.safeParse(value);
      if (request && isPageRequest(request)) channel.request(request);
      else messages.destroy();
    },
  });
}

function* batches(texts: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (batch.length > 0 && length + text.length > LINK_LIMITS.unsent) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(text);
    length += text.length;
  }
  if (batch.length > 0) yield batch;
}

function serveArea(
  messages: MessageStream,
  { machine, log }: ServedPort,
  name: string,
  about: unknown,
): void {
  const area = machine.openArea(name, about, {
    push: (push) => messages.sendJson({ push }),
    bytes: (data) => messages.sendBytes(data),
  });
  follow(messages, area, {
    bytes: (data) => area.bytes(data),
    json(value) {
      const { data } = feedAskSchema.safeParse(value);
      if (!data) return messages.destroy();
      area.call(data.ask).then(
        (result) => messages.sendJson({ re: data.id, value: result ?? null }),
        (error: unknown) => {
          if (!(error instanceof CodedError)) log.error('feed request', { feed: name, error });
          messages.sendJson({ re: data.id, ...errorReply(error) });
        },
      );
    },
  });
}

async function sendBlob(
  messages: MessageStream,
  machine: Machine,
  session: string,
  hash: string,
): Promise<void> {
  try {
    const blob = await machine.readBlob(session, hash);
    messages.sendJson({ value: blob ? { size: blob.length } : null });
    for (let at = 0; blob && at < blob.length; at += PIECE) messages.sendBytes(blob.subarray(at, at + PIECE));
  } catch (error) {
    messages.sendJson(errorReply(error));
  }
  messages.end();
}

async function sendFile(
  messages: MessageStream,
  machine: Machine,
  { project, path, limit }: Extract<Open, { open: 'raw' }>,
): Promise<void> {
  try {
    const { size, content } = await machine.files.openRaw(project, path, limit);
    messages.handle({
      congested: () => content.pause(),
      drained: () => content.resume(),
      closed: () => content.destroy(),
    });
    messages.sendJson({ value: { size } });
    content.on('data', (chunk: Buffer) => messages.sendBytes(chunk));
    content.on('end', () => messages.end());
    content.on('error', () => messages.destroy());
  } catch (error) {
    messages.sendJson(errorReply(error));
    messages.end();
  }
}

/** All bytes that the deck sends. */
function collect(messages: MessageStream, limit: number): Promise<Buffer> {
  return new Promise((done, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    messages.handle({
      bytes(data) {
        length += data.length;
        if (length <= limit) parts.push(Buffer.from(data));
        else reject(new CodedError('PAYLOAD_TOO_LARGE'));
      },
      ended: () => done(Buffer.concat(parts)),
      closed: () => reject(new CodedError('INVALID_MESSAGE')),
    });
  });
}

function bodyOf(messages: MessageStream): PassThrough {
  const body = new PassThrough();
  let hasEnded = false;
  body.on('drain', () => messages.resume());
  body.on('error', () => undefined); // The reader reports it.
  messages.handle({
    bytes(data) {
      if (!body.write(Buffer.from(data))) messages.pause();
    },
    ended() {
      hasEnded = true;
      body.end();
    },
    closed() {
      if (!hasEnded) body.destroy(new Error('the upload was interrupted'));
    },
  });
  return body;
}
