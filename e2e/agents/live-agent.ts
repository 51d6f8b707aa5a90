/** A real agent behind the product's own driver, without server and browser: for the scenes of the matrix. */
import { randomUUID } from 'node:crypto';
import { findAgent } from '@tugdeck/agents/catalog';
import { ContractSink } from '@tugdeck/drivers/kit/contract';
import type { Agent, AgentStart } from '@tugdeck/drivers/kit/port';
import { driverFor } from '@tugdeck/drivers/known-drivers';
import { endTree, MARK } from '@tugdeck/local/process-ending';
import { identify, type ProcessIdentity } from '@tugdeck/local/process-identity';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Attachment, Entry, RequestEntry, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { launchOf, openAgentWorld } from '@tugdeck/testkit/agent-world';
import type { RealAgent } from '@tugdeck/testkit/agents';
import type { FakeModel } from '@tugdeck/testkit/fake-model';
import { projectFiles } from '@tugdeck/testkit/scenarios';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';

export const allow = (): Answer => ({ type: 'permission', behavior: 'allow' });

export class LiveAgent {
  readonly sink = new ContractSink();
  readonly #agent: Agent;
  readonly #mark = randomUUID();
  readonly #identity: ProcessIdentity;

  constructor(name: RealAgent, start: AgentStart) {
    const environment = { ...start.environment, [MARK]: this.#mark };
    this.#agent = driverFor(findAgent(name)?.protocol ?? '').start({ ...start, environment }, this.sink);
    const identity = this.sink.pid === undefined ? undefined : identify(this.sink.pid);
    if (!identity) throw new Error(`it did not start: ${this.sink.exit?.failure}`);
    this.#identity = identity;
  }

  get agent(): Agent {
    return this.#agent;
  }

  get entries(): Entry[] {
    return [...entriesFrom(this.sink.state.entries)];
  }

  get tools(): ToolEntry[] {
    return this.entries.filter((entry) => entry.kind === 'tool');
  }

  get pid(): number {
    return this.#identity.pid;
  }

  textOf(kind: 'text' | 'thinking' | 'notice'): string {
    return this.entries.map((entry) => (entry.kind === kind ? entry.text : '')).join('');
  }

  ready(): Promise<void> {
    return this.sink.until('it was ready', (seen) => seen.isReady);
  }

  send(text: string, attachments?: Attachment[]): void {
    const id = randomUUID();
    this.sink.send(this.#agent, { id, text, ...(attachments ? { attachments } : {}) });
  }

  async request(): Promise<RequestEntry> {
    await this.sink.until('a request', ({ state }) => pendingRequests(state).length > 0);
    const [request] = pendingRequests(this.sink.state);
    if (!request) throw new Error('no request');
    return request;
  }

  reply(request: RequestEntry, answer: Answer): void {
    this.sink.fold({ kind: 'request.settled', entry: request.id, status: 'answered', answer });
    this.#agent.answer(request, answer);
  }

  idle(): Promise<void> {
    return this.sink.until('the end of the turn', ({ state }) => state.turn === null);
  }

  /** Sends a prompt, answers the agent's requests, and returns them when the turn is over. */
  async turn(text: string, answer: (request: RequestEntry) => Answer = allow): Promise<RequestEntry[]> {
    const asked: RequestEntry[] = [];
    this.send(text);
    for (;;) {
      await this.sink.until('a request or the end', ({ state }) => {
        return state.turn === null || pendingRequests(state).length > 0;
      });
      const [request] = pendingRequests(this.sink.state);
      if (!request) return asked;
      asked.push(request);
      this.reply(request, answer(request));
    }
  }

  /** How the last turn ended. */
  get ending(): string | undefined {
    return this.sink.state.turns.at(-1)?.endedBy;
  }

  /** As the host does it (L8): the protocol's shutdown, then signals. Returns the processes that could not be ended. */
  async end(): Promise<readonly ProcessIdentity[]> {
    this.#agent.end();
    const left = await this.endTree();
    await this.gone();
    return left;
  }

  endTree(): Promise<readonly ProcessIdentity[]> {
    const tree = { identity: this.#identity, group: this.pid, mark: this.#mark };
    return endTree(tree, { farewellMs: 5_000, terminateMs: 3_000 });
  }

  gone(): Promise<void> {
    return this.sink.until('its exit', ({ exit }) => exit !== undefined);
  }
}

export interface Place {
  readonly sandbox: Sandbox;
  readonly fake: FakeModel;
  /** The start parameters, for a driver. */
  startOf(session?: AgentStart['session']): AgentStart;
  start(session?: AgentStart['session'], more?: Partial<AgentStart>): Promise<LiveAgent>;
  close(): Promise<void>;
}

export async function openPlace(agent: RealAgent): Promise<Place> {
  const sandbox = await createSandbox({ files: projectFiles });
  const world = await openAgentWorld(agent, sandbox);
  const launch = launchOf(agent);
  const startOf = (session: AgentStart['session'] = { kind: 'new', id: randomUUID() }): AgentStart => ({
    command: launch.command,
    args: launch.args,
    directory: sandbox.project,
    environment: { ...world.environment, ...launch.environment },
    session,
    maxLine: 16 * 1024 * 1024,
  });
  return {
    sandbox,
    fake: world.fake,
    startOf,
    async start(session, more = {}) {
      const live = new LiveAgent(agent, { ...startOf(session), ...more });
      await live.ready();
      return live;
    },
    async close() {
      await world.fake.close();
      await sandbox.dispose();
    },
  };
}
