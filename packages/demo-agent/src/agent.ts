/**
 * The demo agent: implements the ACP methods and runs scenes. Needs no network and no API key. It stores only the
 * messages of its sessions.
 */
import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { Connection, type Fields, fieldsOf, RpcFault, type Service } from './connection.ts';
import { Memory, type Message } from './memory.ts';
import { ask } from './scenes/ask.ts';
import { edit } from './scenes/edit.ts';
import { COMMANDS, help, talk } from './scenes/help.ts';
import { plan } from './scenes/plan.ts';
import { recall } from './scenes/recall.ts';
import { run } from './scenes/run.ts';
import { fail, flood, image, slow, think } from './scenes/small.ts';
import { subagents } from './scenes/subagents.ts';
import { tour } from './scenes/tour.ts';
import { Cancelled, type Capabilities, Turn } from './turn.ts';

type Scene = (turn: Turn, rest: string) => Promise<void>;

const SCENES: Readonly<Record<string, Scene>> = {
  tour,
  edit,
  run,
  ask,
  plan,
  think,
  fail,
  slow,
  image,
  subagents,
  flood,
  help,
};

const MODES = [
  { id: 'ask', name: 'Ask', description: 'Asks before it edits a file or runs a command' },
  { id: 'trust', name: 'Don’t ask', description: 'Edits files and runs commands without asking' },
];
const PACES = [
  { value: 'steady', name: 'Normal speed', pace: 25 },
  { value: 'quick', name: 'Fast', pace: 4 },
] as const;
const CONTEXT = 100_000;

interface Session {
  readonly id: string;
  readonly directory: string;
  readonly messages: Message[];
  mode: string;
  pace: (typeof PACES)[number];
  used: number;
  titled: boolean;
  turn: { readonly control: AbortController; readonly acts: Turn } | undefined;
}

export interface DemoOptions {
  readonly input: NodeJS.ReadableStream & ConstructorParameters<typeof Connection>[0];
  readonly output: ConstructorParameters<typeof Connection>[1];
  /** Fixed delay between words in milliseconds, for tests and benchmarks. */
  readonly pace?: number | undefined;
  /** The folder for messages of sessions. */
  readonly memory?: string | undefined;
}

export class DemoAgent implements Service {
  readonly #connection: Connection;
  readonly #pace: number | undefined;
  readonly #memory: Memory;
  readonly #sessions = new Map<string, Session>();
  #capabilities: Capabilities = {
    read: false,
    write: false,
    questions: false,
    subagents: false,
    terminals: false,
  };

  constructor({ input, output, pace, memory }: DemoOptions) {
    this.#pace = pace;
    this.#memory = new Memory(memory);
    this.#connection = new Connection(input, output, this);
  }

  async request(method: string, params: Fields): Promise<unknown> {
    switch (method) {
      case 'initialize':
        return this.#initialize(params);
      case 'authenticate':
        return {};
      case 'session/new':
        return this.#begin(randomUUID(), params, []);
      case 'session/resume':
        return this.#begin(String(params.sessionId), params, this.#messagesOf(String(params.sessionId)));
      case 'session/fork':
        return this.#fork(String(params.sessionId), params);
      case 'session/close':
        this.#session(params).turn?.control.abort();
        this.#sessions.delete(String(params.sessionId));
        return {};
      case 'session/set_mode':
        return this.#setMode(this.#session(params), String(params.modeId));
      case 'session/set_config_option':
        return this.#setPace(this.#session(params), String(params.value));
      case 'session/prompt':
        return this.#prompt(this.#session(params), params);
      case '_session/steering':
        return this.#steer(this.#session(params), params);
      default:
        throw new RpcFault(-32601, `Unknown method: ${method}`);
    }
  }

  notification(method: string, params: Fields): void {
    if (method === 'session/cancel') this.#sessions.get(String(params.sessionId))?.turn?.control.abort();
  }

  /** Ends every turn and the commands that it runs. */
  close(): void {
    for (const { turn } of this.#sessions.values()) turn?.control.abort();
  }

  #initialize({ clientCapabilities }: Fields): Fields {
    const client = fieldsOf(clientCapabilities);
    const files = fieldsOf(client.fs);
    this.#capabilities = {
      read: files.readTextFile === true,
      write: files.writeTextFile === true,
      questions: fieldsOf(client.elicitation).form !== undefined,
      subagents: client.subagents !== undefined,
      terminals: fieldsOf(client._meta).terminal_output === true,
    };
    return {
      protocolVersion: 1,
      agentInfo: { name: 'tugdeck-demo-agent', title: 'Demo', version: '0.1.0' },
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        sessionCapabilities: { resume: {}, close: {}, fork: { _meta: { beforeMessage: true } } },
      },
      authMethods: [],
      _meta: { steering: { supported: true } },
    };
  }

  #messagesOf(session: string): Message[] {
    return this.#sessions.get(session)?.messages ?? this.#memory.read(session);
  }

  /** A copy of a session, up to before a message or of all of it. Its messages are replayed. */
  #fork(of: string, params: Fields): Fields {
    const { beforeMessageId } = fieldsOf(params._meta);
    const all = this.#messagesOf(of);
    const end =
      beforeMessageId === undefined ? all.length : all.findIndex(({ id }) => id === beforeMessageId);
    if (end < 0) throw new RpcFault(-32602, 'That message isn’t part of the session.');
    const messages = all.slice(0, end).map((message) => ({ ...message }));
    const copy = randomUUID();
    const result = this.#begin(copy, params, messages);
    for (const message of messages) this.#replay(this.#session({ sessionId: copy }), message);
    return result;
  }

  #replay(session: Session, { id, prompt, answer }: Message): void {
    const chunk = (sessionUpdate: string, text: string, messageId: string) =>
      this.#update(session, { sessionUpdate, messageId, content: { type: 'text', text } });
    chunk('user_message_chunk', prompt, id);
    if (answer !== '') chunk('agent_message_chunk', answer, `${id}-answer`);
  }

  #begin(id: string, { cwd }: Fields, messages: Message[]): Fields {
    if (typeof cwd !== 'string' || !isAbsolute(cwd)) throw new RpcFault(-32602, 'cwd must be absolute.');
    const session: Session = {
      id,
      directory: cwd,
      messages,
      mode: 'ask',
      pace: PACES[0],
      used: 0,
      titled: messages.length > 0,
      turn: undefined,
    };
    this.#sessions.set(id, session);
    setImmediate(() => this.#update(session, { sessionUpdate: 'available_commands_update', ...commands() }));
    return {
      sessionId: id,
      modes: { currentModeId: session.mode, availableModes: MODES },
      configOptions: configOptions(session),
    };
  }

  #session({ sessionId }: Fields): Session {
    const session = this.#sessions.get(String(sessionId));
    if (!session) throw new RpcFault(-32002, `Session not found: ${String(sessionId)}`);
    return session;
  }

  #setMode(session: Session, mode: string): Fields {
    if (!MODES.some(({ id }) => id === mode)) throw new RpcFault(-32602, `Unknown mode: ${mode}`);
    session.mode = mode;
    this.#update(session, { sessionUpdate: 'current_mode_update', currentModeId: mode });
    return {};
  }

  #setPace(session: Session, value: string): Fields {
    const pace = PACES.find((candidate) => candidate.value === value);
    if (!pace) throw new RpcFault(-32602, `Unknown speed: ${value}`);
    session.pace = pace;
    return { configOptions: configOptions(session) };
  }

  async #prompt(session: Session, params: Fields): Promise<unknown> {
    if (session.turn) throw new RpcFault(-32600, 'A prompt is already running.');
    const prompt = promptText(params);
    const control = new AbortController();
    let ids = 0;
    const prefix = randomUUID().slice(0, 8);
    const turn = new Turn({
      connection: this.#connection,
      session: session.id,
      directory: session.directory,
      capabilities: this.#capabilities,
      pace: this.#pace ?? session.pace.pace,
      asks: session.mode === 'ask',
      ids: () => `${prefix}-${ids++}`,
      signal: control.signal,
    });
    const message = { id: messageId(params) ?? prefix, prompt, answer: '' };
    const earlier = [...session.messages];
    session.messages.push(message);
    this.#memory.write(session.id, session.messages);
    session.turn = { control, acts: turn };
    try {
      await this.#runScene(turn, prompt, earlier);
      return { stopReason: 'end_turn', usage: usage(prompt.length, turn.written) };
    } catch (error) {
      turn.closeTools();
      if (!(error instanceof Cancelled)) throw error;
      return { stopReason: 'cancelled', usage: usage(prompt.length, turn.written) };
    } finally {
      session.turn = undefined;
      message.answer = turn.text;
      this.#memory.write(session.id, session.messages);
      if (turn.allowed) this.#setMode(session, 'trust');
      this.#reportUsage(session, prompt, turn.written);
    }
  }

  #steer({ turn, messages }: Session, params: Fields): Fields {
    if (!turn) throw new RpcFault(-32600, 'No prompt is running.');
    const prompt = promptText(params);
    turn.acts.queueMessage(prompt);
    messages.push({ id: messageId(params) ?? randomUUID(), prompt, answer: '' });
    return { outcome: 'injected' };
  }

  async #runScene(turn: Turn, prompt: string, earlier: readonly Message[]): Promise<void> {
    const [, word = '', rest = ''] = /^\/?(\S*)\s*([\s\S]*)$/.exec(prompt) ?? [];
    const scene = SCENES[word.toLowerCase()];
    if (word.toLowerCase() === 'recall') await recall(turn, earlier);
    else await (scene && Object.hasOwn(SCENES, word.toLowerCase()) ? scene(turn, rest) : talk(turn, prompt));
  }

  #reportUsage(session: Session, prompt: string, written: number): void {
    session.used = Math.min(CONTEXT, session.used + Math.ceil((prompt.length + written) / 4));
    const cost = { amount: 0, currency: 'USD' };
    this.#update(session, { sessionUpdate: 'usage_update', used: session.used, size: CONTEXT, cost });
    if (session.titled) return;
    session.titled = true;
    this.#update(session, { sessionUpdate: 'session_info_update', title: titleOf(prompt) });
  }

  #update(session: Session, update: Fields): void {
    this.#connection.notify('session/update', { sessionId: session.id, update });
  }
}

/** The first line of a prompt. Not shortened: the client knows how much fits. */
function titleOf(prompt: string): string {
  return prompt.split('\n')[0]?.trim() || 'New session';
}

function messageId({ _meta }: Fields): string | undefined {
  const { messageId: id } = fieldsOf(_meta);
  return typeof id === 'string' ? id : undefined;
}

function promptText({ prompt }: Fields): string {
  const blocks = Array.isArray(prompt) ? prompt.map(fieldsOf) : [];
  return blocks
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n')
    .trim();
}

function commands(): Fields {
  return {
    availableCommands: COMMANDS.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === undefined ? {} : { input: { hint } }),
    })),
  };
}

function configOptions({ pace }: Session): Fields[] {
  const options = PACES.map(({ value, name }) => ({ value, name }));
  return [
    { id: 'model', name: 'Speed', category: 'model', type: 'select', currentValue: pace.value, options },
  ];
}

function usage(read: number, written: number): Fields {
  const inputTokens = Math.ceil(read / 4);
  const outputTokens = Math.ceil(written / 4);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
