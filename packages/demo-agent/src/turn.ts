/**
 * One turn, from a prompt to its end: the operations that scenes use. Each waits for the client or for the configured
 * speed, and each throws `Cancelled` when the turn is canceled.
 */
import { type Connection, type Fields, fieldsOf } from './connection.ts';

export class Cancelled extends Error {
  constructor() {
    super('The turn was canceled.');
    this.name = 'Cancelled';
  }
}

/** The client's capabilities. */
export interface Capabilities {
  readonly read: boolean;
  readonly write: boolean;
  readonly questions: boolean;
  readonly subagents: boolean;
  readonly terminals: boolean;
}

export interface TurnOptions {
  readonly connection: Connection;
  readonly session: string;
  readonly directory: string;
  readonly capabilities: Capabilities;
  /** Delay between two words in milliseconds; 0 is as fast as the client reads. */
  readonly pace: number;
  /** Whether to ask the user before doing anything. */
  readonly asks: boolean;
  readonly ids: () => string;
  readonly signal: AbortSignal;
}

export class Turn {
  readonly options: TurnOptions;
  readonly #tools: Map<string, string>;
  written = 0;
  /** The agent's words so far. */
  text = '';
  readonly #messages: string[] = [];
  /** The user chose to always allow tool calls. */
  allowed = false;

  constructor(options: TurnOptions, tools = new Map<string, string>()) {
    this.options = options;
    this.#tools = tools;
  }

  /** The same turn in the session of a subagent. */
  inside(session: string): Turn {
    return new Turn({ ...this.options, session }, this.#tools);
  }

  update(update: Fields): void {
    this.#checked();
    this.options.connection.notify('session/update', { sessionId: this.options.session, update });
  }

  /** Queues a message that the user sent during the turn; it is quoted with the next text. */
  queueMessage(text: string): void {
    this.#messages.push(text);
  }

  async quoteMessage(): Promise<void> {
    const message = this.#messages.shift();
    if (message !== undefined)
      await this.#stream(
        'agent_message_chunk',
        `\n\n*(Got your message: “${message}”.)*\n\n`,
        this.options.ids(),
      );
  }

  /** Streams Markdown word by word. */
  async say(text: string): Promise<void> {
    await this.quoteMessage();
    await this.#stream('agent_message_chunk', text, this.options.ids());
  }

  async think(text: string): Promise<void> {
    await this.#stream('agent_thought_chunk', text, this.options.ids());
  }

  async pause(milliseconds: number): Promise<void> {
    await this.until(
      new Promise<void>((resolve) => {
        if (this.options.pace === 0) setImmediate(resolve);
        else setTimeout(resolve, milliseconds);
      }),
    );
  }

  /** Resolves with the promise, or rejects when the turn is canceled. */
  until<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.options;
    this.#checked();
    return new Promise<T>((resolve, reject) => {
      const stop = (): void => reject(new Cancelled());
      signal.addEventListener('abort', stop, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  request(method: string, params: Fields): Promise<unknown> {
    const { connection, session } = this.options;
    // After a cancel, nobody would wait for the response.
    this.#checked();
    return this.until(connection.request(method, { sessionId: session, ...params }));
  }

  /** Starts a tool call, open until it is completed, failed or canceled. */
  tool(call: { readonly kind: string; readonly title: string } & Fields): string {
    const toolCallId = `call-${this.options.ids()}`;
    this.#tools.set(toolCallId, this.options.session);
    this.update({ sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...call });
    return toolCallId;
  }

  patch(toolCallId: string, patch: Fields): void {
    if (patch.status === 'completed' || patch.status === 'failed') this.#tools.delete(toolCallId);
    this.update({ sessionUpdate: 'tool_call_update', toolCallId, ...patch });
  }

  /** Requests permission for a tool call; returns whether it was granted. */
  async requestPermission(toolCallId: string, about: Fields): Promise<boolean> {
    if (!this.options.asks || this.allowed) return true;
    const options = [
      { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'always', name: 'Always allow in this session', kind: 'allow_always' },
      { optionId: 'no', name: 'Deny', kind: 'reject_once' },
    ];
    const chosen = await this.choose(toolCallId, about, options);
    if (chosen === 'always') this.allowed = true;
    return chosen === 'yes' || chosen === 'always';
  }

  /** Returns the option that the user chose. */
  async choose(toolCallId: string, about: Fields, options: readonly Fields[]): Promise<string | undefined> {
    const answer = await this.request('session/request_permission', {
      toolCall: { toolCallId, status: 'pending', ...about },
      options,
    });
    const { outcome, optionId } = fieldsOf(fieldsOf(answer).outcome);
    if (outcome === 'cancelled') throw new Cancelled();
    return typeof optionId === 'string' ? optionId : undefined;
  }

  /** Closes all open tool calls after a cancel. */
  closeTools(): void {
    const { connection } = this.options;
    for (const [toolCallId, sessionId] of this.#tools) {
      const update = { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' };
      connection.notify('session/update', { sessionId, update });
    }
    this.#tools.clear();
  }

  async #stream(kind: string, text: string, messageId: string): Promise<void> {
    for (const word of text.match(/\s*\S+\s*/g) ?? [text]) {
      this.update({ sessionUpdate: kind, messageId, content: { type: 'text', text: word } });
      this.written += word.length;
      if (kind === 'agent_message_chunk') this.text += word;
      await this.until(this.options.connection.flowing);
      await this.pause(this.options.pace);
    }
  }

  #checked(): void {
    if (this.options.signal.aborted) throw new Cancelled();
  }
}
