/**
 * One turn, from a prompt to its end: what a scene can do to the client. Everything waits for the client or for
 * its own pace, and everything gives way to a cancel: the scene then ends by `Cancelled`, wherever it is.
 */
import { type Connection, type Fields, fieldsOf } from './connection.ts';

export class Cancelled extends Error {
  constructor() {
    super('The turn was cancelled.');
    this.name = 'Cancelled';
  }
}

/** What the client said that it can do. */
export interface Abilities {
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
  readonly abilities: Abilities;
  /** Milliseconds between two words; 0 is as fast as the client takes them. */
  readonly pace: number;
  /** Whether the user wants to be asked before anything is done. */
  readonly asks: boolean;
  readonly ids: () => string;
  readonly signal: AbortSignal;
}

export class Turn {
  readonly options: TurnOptions;
  readonly #tools: Map<string, string>;
  written = 0;
  readonly #heard: string[] = [];
  /** The user does not want to be asked any more. */
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

  /** A message of the user in the middle of the turn: taken up where the agent speaks next. */
  hear(text: string): void {
    this.#heard.push(text);
  }

  async takeUp(): Promise<void> {
    const said = this.#heard.shift();
    if (said !== undefined)
      await this.#stream('agent_message_chunk', `\n\n*(I heard you: “${said}”.)*\n\n`, this.options.ids());
  }

  /** Words of markdown, one after the other. */
  async say(text: string): Promise<void> {
    await this.takeUp();
    await this.#stream('agent_message_chunk', text, this.options.ids());
  }

  async think(text: string): Promise<void> {
    await this.#stream('agent_thought_chunk', text, this.options.ids());
  }

  async rest(milliseconds: number): Promise<void> {
    await this.until(
      new Promise<void>((resolve) => {
        if (this.options.pace === 0) setImmediate(resolve);
        else setTimeout(resolve, milliseconds);
      }),
    );
  }

  /** A promise, or the cancel, whichever is first. */
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
    // Before anything is asked: nobody would wait for the answer.
    this.#checked();
    return this.until(connection.request(method, { sessionId: session, ...params }));
  }

  /** A tool call that is open until it is completed, failed or cancelled. */
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

  /** Asks before a tool does anything; true where it may. */
  async mayI(toolCallId: string, about: Fields): Promise<boolean> {
    if (!this.options.asks || this.allowed) return true;
    const options = [
      { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'always', name: 'Allow, and stop asking in this session', kind: 'allow_always' },
      { optionId: 'no', name: 'Deny', kind: 'reject_once' },
    ];
    const chosen = await this.choose(toolCallId, about, options);
    if (chosen === 'always') this.allowed = true;
    return chosen === 'yes' || chosen === 'always';
  }

  /** The option that the user chose of those given. */
  async choose(toolCallId: string, about: Fields, options: readonly Fields[]): Promise<string | undefined> {
    const answer = await this.request('session/request_permission', {
      toolCall: { toolCallId, status: 'pending', ...about },
      options,
    });
    const { outcome, optionId } = fieldsOf(fieldsOf(answer).outcome);
    if (outcome === 'cancelled') throw new Cancelled();
    return typeof optionId === 'string' ? optionId : undefined;
  }

  /** After a cancel nothing is left open. */
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
      await this.until(this.options.connection.flowing);
      await this.rest(this.options.pace);
    }
  }

  #checked(): void {
    if (this.options.signal.aborted) throw new Cancelled();
  }
}
