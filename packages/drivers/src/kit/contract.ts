/**
 * The rules for every driver: a checking sink and a list of test cases. Driver tests run `CONTRACT`; it imports no
 * test library, so that it can live beside the interface.
 */
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { appendSchema, changeBodySchema } from '@tugdeck/protocol/conversation/changes';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import {
  type Conversation,
  EMPTY,
  entryById,
  openEntries,
  pendingRequests,
} from '@tugdeck/protocol/conversation/state';
import { parseExact } from './exact-json.ts';
import { hiddenParts } from './hidden-parts.ts';
import type { Agent, AgentExit, AgentStart, Driver, DriverSink, Prompt } from './port.ts';

/** A sink that folds outputs like the host and records every violation. */
export class ContractSink implements DriverSink {
  readonly breaches: string[] = [];
  readonly changes: ChangeBody[] = [];
  state: Conversation = EMPTY;
  pid: number | undefined;
  exit: AgentExit | undefined;
  #ready = false;
  /** The last line of the agent: drivers translate one line at a time. */
  #line = '';
  readonly #waiters = new Set<() => void>();

  emit: DriverSink['emit'] = (outputs) => {
    if (this.pid === undefined) this.#breach('emitted before it was spawned');
    if (this.exit) this.#breach('emitted after its exit');
    for (const output of outputs) {
      if (output.kind === 'live') {
        const { kind: _live, ...append } = output;
        if (!appendSchema.safeParse(append).success) this.#breach(`broken append to ${append.entry}`);
        this.state = foldAppend(this.state, append);
        if (this.state.holes.length > 0) this.#breach(`append to ${append.entry} leaves a hole`);
      } else {
        this.#take(output);
      }
    }
    this.#notifyWaiters();
  };

  #take(body: ChangeBody): void {
    const parsed = changeBodySchema.safeParse(body);
    if (!parsed.success) this.#breach(`broken ${body.kind}: ${parsed.error.message}`);
    if (body.kind === 'turn.started' && this.state.turn) this.#breach('a turn began while one was running');
    if (body.kind === 'turn.ended') {
      if (this.state.turn?.id !== body.turn) this.#breach(`turn ${body.turn} ended, but was not running`);
    }
    if (body.kind === 'entry.opened' && entryById(this.state, body.entry.id)) {
      this.#breach(`entry ${body.entry.id} was opened twice`);
    }
    if (
      (body.kind === 'entry.closed' || body.kind === 'entry.patched') &&
      !entryById(this.state, body.entry)
    ) {
      this.#breach(`${body.kind} of ${body.entry}, which was never opened`);
    }
    if (body.kind === 'prompt.progressed' && body.delivery === 'sending') {
      this.#breach(`prompt ${body.prompt} was reported as sending, which the host has journaled`);
    }
    if (body.kind === 'entry.opened' && 'request' in body.entry) this.#checkRequest(body.entry);
    this.fold(body);
    this.changes.push(body);
  }

  /** Everything that the agent sent with a request is in its entry. */
  #checkRequest(entry: NewEntry): void {
    if (this.#line === '') return;
    const hidden = hiddenParts(parseExact(this.#line), entry);
    if (hidden.length > 0) this.#breach(`request ${entry.id} hides ${hidden.join(', ')}`);
  }

  /** Sends a prompt as the host does, which first journals it. */
  send(agent: Agent, prompt: Prompt): void {
    const { id, text, steer } = prompt;
    this.fold({ kind: 'prompt.accepted', prompt: { id, text, ...(steer ? { steer } : {}) } });
    this.fold({ kind: 'prompt.progressed', prompt: id, delivery: 'sending' });
    agent.prompt(prompt);
  }

  /** Folds a change of the host, such as an answered request. */
  fold(body: ChangeBody): void {
    this.state = fold(this.state, { ...body, v: this.state.v + 1, at: this.state.v + 1 } as Change);
  }

  record: DriverSink['record'] = (direction, line) => {
    if (direction === 'out') this.#line = line;
  };

  spawned: DriverSink['spawned'] = (pid) => {
    if (this.pid !== undefined) this.#breach('spawned twice');
    this.pid = pid;
    this.#notifyWaiters();
  };

  ready: DriverSink['ready'] = () => {
    if (this.#ready) this.#breach('ready twice');
    this.#ready = true;
    this.#notifyWaiters();
  };

  exited: DriverSink['exited'] = (exit) => {
    if (this.exit) this.#breach('exited twice');
    this.exit = exit;
    this.#notifyWaiters();
  };

  #breach(what: string): void {
    this.breaches.push(what);
  }

  #notifyWaiters(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }

  /** Resolves when the condition holds; rejects if the agent exits before that. */
  until(what: string, holds: (sink: ContractSink) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (holds(this)) {
          this.#waiters.delete(check);
          resolve();
        } else if (this.exit) {
          this.#waiters.delete(check);
          reject(new Error(`the agent exited (${JSON.stringify(this.exit)}) before ${what}`));
        }
      };
      this.#waiters.add(check);
      check();
    });
  }

  get isReady(): boolean {
    return this.#ready;
  }
}

/** A driver under test: how to start it, and prompts for the test cases. */
export interface ContractSubject {
  readonly driver: Driver;
  start(): AgentStart;
  readonly prompts: {
    /** Answered with text. */
    readonly text: string;
    /** Leads to one permission request. */
    readonly permission: string;
    /** Runs until canceled. */
    readonly endless: string;
  };
  uuid(): string;
}

export interface ContractCase {
  readonly title: string;
  run(subject: ContractSubject): Promise<void>;
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`contract: ${what}`);
}

async function begin(subject: ContractSubject): Promise<{ sink: ContractSink; agent: Agent }> {
  const sink = new ContractSink();
  const agent = subject.driver.start(subject.start(), sink);
  await sink.until('it was ready', (seen) => seen.isReady);
  expect(sink.pid !== undefined, 'spawned comes before ready');
  return { sink, agent };
}

function send(subject: ContractSubject, sink: ContractSink, agent: Agent, text: string): Prompt {
  const prompt: Prompt = { id: subject.uuid(), text };
  sink.send(agent, prompt);
  expect(sink.state.turn !== null, 'a prompt starts a turn where none runs');
  return prompt;
}

async function finish(sink: ContractSink, agent: Agent): Promise<void> {
  agent.end();
  await sink.until('its exit', (seen) => seen.exit !== undefined);
  // Late outputs would arrive in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(sink.breaches.length === 0, sink.breaches.join('; '));
}

const turnOver = (sink: ContractSink): boolean => sink.state.turn === null;

export const CONTRACT: readonly ContractCase[] = [
  {
    title: 'A prompt is sent, then delivered; its turn completes once and leaves nothing open',
    async run(subject) {
      const { sink, agent } = await begin(subject);
      const prompt = send(subject, sink, agent, subject.prompts.text);
      await sink.until('the end of the turn', turnOver);
      const entry = entryById(sink.state, prompt.id);
      expect(entry?.kind === 'user' && entry.delivery === 'delivered', 'the prompt is delivered');
      expect(sink.state.turns.length === 1, 'there was one turn');
      expect(sink.state.turns[0]?.endedBy === 'completed', 'it completed');
      expect(openEntries(sink.state).length === 0, 'nothing is open after the turn');
      const texts = sink.changes.filter(
        (change) => change.kind === 'entry.opened' && change.entry.kind === 'text',
      );
      expect(texts.length > 0, 'there is a text');
      await finish(sink, agent);
    },
  },
  {
    title: 'Two turns follow each other',
    async run(subject) {
      const { sink, agent } = await begin(subject);
      send(subject, sink, agent, subject.prompts.text);
      await sink.until('the end of the first turn', turnOver);
      send(subject, sink, agent, subject.prompts.text);
      await sink.until('the end of the second turn', turnOver);
      expect(sink.state.turns.length === 2, 'there were two turns');
      await finish(sink, agent);
    },
  },
  {
    title: 'A permission waits for its answer, and the turn continues after it',
    async run(subject) {
      const { sink, agent } = await begin(subject);
      send(subject, sink, agent, subject.prompts.permission);
      await sink.until('a request', (seen) => pendingRequests(seen.state).length === 1);
      const [request] = pendingRequests(sink.state);
      if (request?.kind !== 'permission') throw new Error('contract: the request is a permission');
      const effects = request.request.options.map(({ effect }) => effect);
      expect(
        effects.includes('allow-once') && effects.includes('reject-once'),
        'once-only options are offered',
      );
      const answer = { type: 'permission', behavior: 'allow' } as const;
      sink.fold({ kind: 'request.settled', entry: request.id, status: 'answered', answer });
      agent.answer(request, answer);
      await sink.until('the end of the turn', turnOver);
      expect(openEntries(sink.state).length === 0, 'nothing is open after the turn');
      await finish(sink, agent);
    },
  },
  {
    title: 'A canceled turn ends once and leaves nothing open; the next prompt works',
    async run(subject) {
      const { sink, agent } = await begin(subject);
      send(subject, sink, agent, subject.prompts.endless);
      await sink.until('something of the answer', (seen) =>
        seen.changes.some((change) => change.kind === 'entry.opened'),
      );
      agent.cancel();
      await sink.until('the end of the turn', turnOver);
      expect(sink.state.turns[0]?.endedBy === 'cancelled', 'it was canceled');
      expect(openEntries(sink.state).length === 0, 'nothing is open after the turn');
      send(subject, sink, agent, subject.prompts.text);
      await sink.until('the end of the next turn', turnOver);
      expect(sink.state.turns[1]?.endedBy === 'completed', 'the next one completed');
      await finish(sink, agent);
    },
  },
];

/** Only for drivers of real programs. */
export const PROGRAM_CONTRACT: readonly ContractCase[] = [
  {
    title: 'A program that cannot be started exits once with the reason and was never spawned',
    async run(subject) {
      const sink = new ContractSink();
      subject.driver.start({ ...subject.start(), command: '/nonexistent/agent' }, sink);
      await sink.until('its exit', (seen) => seen.exit !== undefined);
      expect(sink.exit?.failure !== undefined, 'the failure is reported');
      expect(sink.pid === undefined && sink.breaches.length === 0, 'nothing else is reported');
    },
  },
];
