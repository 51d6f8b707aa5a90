/**
 * `tugdeck talk` (L5, H2 to H4): a session on stdin and stdout for other programs. Moves lines between the program,
 * the pure projection in the protocol package, and the session's host. When stdin closes, a running turn may finish,
 * unless it needs an answer that can no longer come.
 */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { parseInboundLine, toCommand } from '@tugdeck/protocol/stdio/inbound';
import {
  type InboundMessage,
  type InboundMessageOf,
  type OutboundMessage,
  STDIO_VERSIONS,
  stdioError,
  withVersion,
} from '@tugdeck/protocol/stdio/messages';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { FollowedSession } from '../sessions/followed-session.ts';
import { endSession, type SessionTarget, updateSessionRow } from '../sessions/open-session.ts';
import { findSession, listSessions } from '../sessions/session-list.ts';
import { type JsonLines, jsonLines } from '../talk/json-lines.ts';
import { talkRaw } from '../talk/raw.ts';
import type { Command, Context } from './context.ts';

export const talk: Command = async (context) => {
  const { line, from } = context;
  const directory = resolve(from, line.values.dir ?? '.');
  const named = line.values.session;
  const existing = named === undefined ? undefined : (await findSession(context, named)).id;
  if (line.flags.has('raw')) return talkRaw(context, { existing, directory });
  return new Talk(context, existing, directory).run();
};

class Talk {
  readonly #context: Context;
  readonly #directory: string;
  readonly #existing: string | undefined;
  readonly #lines: JsonLines;
  readonly #finished: Promise<number>;
  #resolveFinished: (code: number) => void = () => undefined;
  /** Lines are handled one at a time. */
  #steps: Promise<void> = Promise.resolve();
  #texts: InboundMessageOf<'protocol_init'>['texts'] = 'appends';
  #session: FollowedSession | undefined;
  #version = 0;
  #isInputClosed = false;

  constructor(context: Context, existing: string | undefined, directory: string) {
    this.#context = context;
    this.#existing = existing;
    this.#directory = directory;
    this.#finished = new Promise((done) => {
      this.#resolveFinished = done;
    });
    this.#lines = jsonLines({
      line: (text) => this.#queue(() => this.#handleLine(text)),
      overlong: () => this.#write(stdioError('PAYLOAD_TOO_LARGE')),
      full: () => void this.#session?.pause(),
      drained: () => void this.#session?.resume(),
      gone: () => this.#resolveFinished(0),
    });
  }

  async run(): Promise<number> {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => this.#resolveFinished(0));
    void this.#lines.ended.then(() =>
      this.#queue(async () => {
        this.#isInputClosed = true;
        this.#finishWhenIdle();
      }),
    );
    const code = await this.#finished;
    await this.#closeSession();
    process.stdin.destroy();
    return code;
  }

  #queue(step: () => Promise<void>): void {
    this.#steps = this.#steps.then(step).catch((error: unknown) => this.#fail(error));
  }

  async #handleLine(text: string): Promise<void> {
    const { request, error } = parseInboundLine(text);
    if (error) this.#write(error);
    else if (request.type === 'protocol_init') await this.#init(request);
    else await this.#request(request);
  }

  async #init({ version, texts }: InboundMessageOf<'protocol_init'>): Promise<void> {
    if (!STDIO_VERSIONS.includes(version)) {
      const message = `Unsupported version ${version}; supported: ${STDIO_VERSIONS.join(', ')}.`;
      this.#write(stdioError('VERSION_UNSUPPORTED', { message, recoverable: false }));
      this.#resolveFinished(1);
      return;
    }
    if (this.#session) {
      this.#write(stdioError('INVALID_MESSAGE', { message: 'protocol_init was already received.' }));
      return;
    }
    this.#texts = texts;
    await this.#open(
      version,
      this.#existing === undefined
        ? { session: randomUUID(), directory: this.#directory }
        : { session: this.#existing },
    );
  }

  async #open(version: number, target: SessionTarget): Promise<void> {
    const session = new FollowedSession(this.#context, target, this.#texts, {
      messages: (messages) => this.#write(...messages),
      changed: () => this.#finishWhenIdle(),
      failed: (error) => this.#fail(error),
    });
    this.#session = session;
    this.#version = version;
    this.#write({ type: 'protocol_ack', version, session_id: target.session });
    await session.open();
  }

  async #request(request: Exclude<InboundMessage, { type: 'protocol_init' }>): Promise<void> {
    const session = this.#session;
    if (!session) {
      this.#write(stdioError('NOT_INITIALIZED', { re: request.id }));
      return;
    }
    const translated = toCommand(session.projection.conversation, request, randomUUID);
    switch (translated.type) {
      case 'refused':
        this.#write(translated.message);
        return;
      case 'command':
        return session.command(translated.command);
      case 'new':
        await this.#closeSession();
        return this.#open(this.#version, { session: randomUUID(), directory: this.#directory });
      case 'fork': {
        const of = session.projection.session;
        await this.#closeSession();
        return this.#open(this.#version, { session: randomUUID(), fork: { of, at: translated.at } });
      }
      case 'continue':
        await this.#closeSession();
        return this.#open(this.#version, await this.#newest());
    }
  }

  /** The newest session of the directory with this agent: ours, otherwise the one that the agent would continue. */
  async #newest(): Promise<SessionTarget> {
    const directory = realpathSync(this.#directory);
    const { agent } = this.#context.settings.configuration;
    const rows = await listSessions(this.#context);
    const known = rows.find(
      (row) =>
        row.directory === directory &&
        (agent === undefined || row.agent === agent) &&
        row.summary?.agentSession,
    );
    if (known) return { session: known.id };
    return { session: randomUUID(), directory, from: { kind: 'continue' } };
  }

  #finishWhenIdle(): void {
    if (!this.#isInputClosed) return;
    const session = this.#session;
    const waits = session !== undefined && pendingRequests(session.projection.conversation).length > 0;
    if (!session || session.isIdle || waits) this.#resolveFinished(0);
  }

  async #closeSession(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    this.#session = undefined;
    await session.close();
    const id = session.projection.session;
    if (!this.#context.line.flags.has('keep')) await endSession(this.#context, id);
    await updateSessionRow(this.#context, id);
  }

  #fail(error: unknown): void {
    const { code, message, hint } = reportOf(error);
    if (code === 'INTERNAL_ERROR') this.#context.note(String((error as Error).stack ?? error));
    this.#write(stdioError(code, { message: `${message} ${hint}`, recoverable: false }));
    this.#resolveFinished(1);
  }

  #write(...messages: readonly OutboundMessage[]): void {
    for (const message of messages) this.#lines.write(withVersion(message));
  }
}
