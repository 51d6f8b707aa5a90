/** A real `codex app-server` behind the driver, with a scripted model; the test plays the host. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Attachment, Entry, RequestEntry, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { type AgentWorld, openAgentWorld } from '@tugdeck/testkit/agent-world';
import { agentFolder } from '@tugdeck/testkit/agents';
import { projectFiles } from '@tugdeck/testkit/scenarios';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';
import { codexDriver } from '../src/codex/driver.ts';
import { ContractSink } from '../src/kit/contract.ts';
import type { Agent, AgentStart, Driver } from '../src/kit/port.ts';

export interface World extends AgentWorld {
  readonly sandbox: Sandbox;
  start(more?: Partial<AgentStart>): AgentStart;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const sandbox = await createSandbox({ files: projectFiles });
  const world = await openAgentWorld('codex', sandbox);
  return {
    ...world,
    sandbox,
    start: (more = {}) => ({
      command: join(agentFolder('codex'), 'codex'),
      args: ['app-server'],
      directory: sandbox.project,
      environment: world.environment,
      session: { kind: 'new', id: randomUUID() },
      maxLine: 16 << 20,
      ...more,
    }),
    async close() {
      await world.fake.close();
      await sandbox.dispose();
    },
  };
}

export const allow = (): Answer => ({ type: 'permission', behavior: 'allow' });

export class Talk {
  readonly sink = new ContractSink();
  readonly written: Record<string, unknown>[] = [];
  readonly agent: Agent;

  constructor(start: AgentStart, driver: Driver = codexDriver) {
    const { record } = this.sink;
    this.sink.record = (direction, line) => {
      record(direction, line);
      if (direction === 'in') this.written.push(JSON.parse(line) as Record<string, unknown>);
    };
    this.agent = driver.start(start, this.sink);
  }

  static async begin(start: AgentStart, driver?: Driver): Promise<Talk> {
    const talk = new Talk(start, driver);
    await talk.sink.until('it was ready', (sink) => sink.isReady);
    return talk;
  }

  get entries(): Entry[] {
    return [...entriesFrom(this.sink.state.entries)];
  }

  get tools(): ToolEntry[] {
    return this.entries.filter((entry) => entry.kind === 'tool');
  }

  get thread(): string {
    return this.sink.state.facts.agentSession ?? '';
  }

  textOf(kind: 'text' | 'notice' | 'user' | 'thinking'): string[] {
    return this.entries.flatMap((entry) => (entry.kind === kind ? [entry.text] : []));
  }

  callsOf(method: string): Record<string, unknown>[] {
    return this.written.filter((line) => line.method === method);
  }

  send(text: string, attachments?: Attachment[]): string {
    const id = randomUUID();
    this.sink.send(this.agent, { id, text, ...(attachments ? { attachments } : {}) });
    return id;
  }

  until(what: string, holds: (sink: ContractSink) => boolean): Promise<void> {
    return this.sink.until(what, holds);
  }

  async request(): Promise<RequestEntry> {
    await this.until('a request', ({ state }) => pendingRequests(state).length > 0);
    const [request] = pendingRequests(this.sink.state);
    if (!request) throw new Error('no request');
    return request;
  }

  reply(request: RequestEntry, answer: Answer): void {
    this.sink.fold({ kind: 'request.settled', entry: request.id, status: 'answered', answer });
    this.agent.answer(request, answer);
  }

  idle(): Promise<void> {
    return this.until('the end of the turn', ({ state }) => state.turn === null);
  }

  async turn(text: string, answer: (request: RequestEntry) => Answer = allow): Promise<void> {
    this.send(text);
    for (;;) {
      await this.until('a request or the end', ({ state }) => {
        return state.turn === null || pendingRequests(state).length > 0;
      });
      const [request] = pendingRequests(this.sink.state);
      if (!request) return;
      this.reply(request, answer(request));
    }
  }

  async end(): Promise<void> {
    this.agent.end();
    await this.until('its exit', ({ exit }) => exit !== undefined);
    if (this.sink.breaches.length > 0) throw new Error(this.sink.breaches.join('; '));
  }
}
