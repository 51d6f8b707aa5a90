/**
 * A session's host: connects session log, runner and clients. Commands are handled one after the other, each
 * journaled before it takes effect.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { ControlAnswer } from '@tugdeck/drivers/kit/port';
import type { Timings } from '@tugdeck/local/timings';
import type { Append, Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Answer, Command } from '@tugdeck/protocol/conversation/commands';
import { decide, isRepeated, REFUSALS } from '@tugdeck/protocol/conversation/decide';
import type { Entry, RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { fieldText } from '@tugdeck/protocol/conversation/fold';
import {
  type Conversation,
  entryById,
  pendingRequests,
  promptUnderway,
} from '@tugdeck/protocol/conversation/state';
import { type Summary, summarize } from '@tugdeck/protocol/conversation/summarize';
import type { Page } from '@tugdeck/protocol/conversation/window';
import { backlog } from '@tugdeck/protocol/wire/backlog';
import { isDiskFault, reportOf } from '@tugdeck/protocol/wire/errors';
import type { AgentSession, HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';
import { changesLine, liveLine } from '@tugdeck/protocol/wire/published-lines';
import { AgentHistory, type AgentHistoryPorts } from './agent-history.ts';
import type { Client } from './client-connection.ts';
import { agentStoppedError, isFileSystemError, notWrittenError } from './disk-errors.ts';
import { executeCommand } from './execute-command.ts';
import { handedOff } from './notices.ts';
import { DISK_FULL, HOST_DIED } from './recovery.ts';
import type { RestoreFiles } from './restore-files.ts';
import { isRestoreCommand, Restorer, type RestorerPorts } from './restorer.ts';
import { Runner, type RunnerPorts } from './runner.ts';
import { SessionLog, type SessionLogPorts } from './session-log.ts';
import { SlotGate } from './slot-gate.ts';
import { SummaryPublisher } from './summary-publisher.ts';
import { endRecorded, recordTurns } from './tree-recorder.ts';

export interface HostStore {
  readonly journal: SessionLogPorts['journal'];
  readonly find: (id: string) => Entry | undefined;
  readonly spill: (body: ChangeBody) => ChangeBody;
  readonly page: (before: number, limit: number) => Page;
  readonly changesSince: (v: number) => readonly Change[] | undefined;
  readonly todosBefore: RestorerPorts['todosBefore'];
  readonly load: RunnerPorts['load'];
}

export interface SessionHostPorts
  extends Pick<RunnerPorts, 'process' | 'record' | 'refusal' | 'trees'>,
    AgentHistoryPorts {
  readonly state: Conversation;
  readonly store: HostStore;
  readonly agent: string;
  readonly timings: Timings;
  /** The machine grants slots (D40). */
  readonly slots?: boolean | undefined;
  readonly restores?: RestoreFiles | undefined;
  /** Called before the agent receives the answer. */
  readonly onAnswer?: ((request: RequestEntry, answer: Answer) => void) | undefined;
  /** The host is idle or was asked to end: the process may exit. */
  readonly onEnd: () => void;
  /** The process must exit although not everything is written. */
  readonly onLeave?: (() => void) | undefined;
}

export class SessionHost {
  readonly #ports: SessionHostPorts;
  readonly #sessionLog: SessionLog;
  readonly #history: AgentHistory;
  readonly #runner: Runner;
  readonly #clients = new Set<Client>();
  readonly #summaries = new SummaryPublisher((summary) => {
    for (const link of this.#clients) if (link.watching) link.send({ type: 'summary', summary });
  });
  #sessions: Extract<HostMessage, { type: 'listed' }> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #ended = false;
  /** Why commands are refused until there is disk space again. */
  #diskFull: ReturnType<typeof reportOf> | undefined;
  /** Commands received while the agent replays its history; they run afterwards. */
  #queuedCommands: (() => void)[] | undefined;
  /** Requests received while a restore is changing files; they are handled afterwards. */
  #heldRequests: (() => void)[] | undefined;
  readonly #restorer: Restorer;
  readonly #slots: SlotGate;

  constructor(ports: SessionHostPorts) {
    this.#ports = ports;
    const { store, timings, now, log } = ports;
    this.#sessionLog = new SessionLog(ports.state, {
      ...store,
      now,
      checkpointMs: timings.checkpointMs,
      liveFlushMs: timings.liveFlushMs,
      onChanges: (changes) => this.#onChanges(changes),
      onLive: (appends) => this.#onLive(appends),
      onUnknownEntry: (change) => log.warn('change to an unknown entry', { kind: change.kind }),
    });
    this.#slots = new SlotGate({
      isManaged: ports.slots ?? false,
      now,
      state: () => this.state,
      onOpen: () => {
        this.#runner.ensureStarted();
        this.#runner.deliver();
      },
      onChange: () => this.#summaries.publish(() => this.#summary()),
    });
    this.#history = new AgentHistory(this.#sessionLog, ports);
    this.#runner = new Runner({
      ...ports,
      sessionLog: this.#sessionLog,
      // The server asks the user and starts the next host.
      onRefused: () => void this.end(),
      load: store.load,
      isFollowed: () => [...this.#clients].some(({ following }) => following),
      mayStartTurn: () => this.#slots.isOpen,
      history: this.#history,
      onSessions: (sessions) => this.#publishSessions(sessions),
    });
    this.#restorer = new Restorer({
      sessionLog: this.#sessionLog,
      files: ports.restores,
      ...store,
      stopAgent: () => this.#runner.stop(),
      log,
    });
  }

  get state(): Conversation {
    return this.#sessionLog.state;
  }

  /** The disk is full; waiting loses no data. */
  get isWaitingForSpace(): boolean {
    return this.#diskFull !== undefined && !this.#ended;
  }

  /** Settles what an earlier host left open and resumes its work. */
  open(): void {
    const { facts } = this.state;
    const { agent, label: agentLabel, launch } = this.#ports;
    const { directory } = launch;
    if (facts.agent !== agent || facts.directory !== directory) {
      const described = { kind: 'session.described', facts: { agent, agentLabel, directory } } as const;
      this.#sessionLog.commit([...handedOff(this.state, directory), described]);
    }
    if (this.state.nextSeq === 0) this.#history.adopt();
    const left = this.#history.recover(HOST_DIED);
    this.#restorer.settle();
    // A page may already show the session, so turns of other programs are imported now, not with the next prompt.
    if (!left.interrupted) this.#history.catchUp();
    // If only the agent has the history, it is started to replay it before any command runs.
    const isBegun = this.state.facts.agentSession !== undefined || this.state.nextSeq > 0;
    if (launch.from !== undefined && !isBegun) this.#queuedCommands = [];
    const isHeld = this.#slots.isHolding && !this.#slots.isOpen;
    if ((left.interrupted && !isHeld) || this.#queuedCommands) this.#runner.ensureStarted();
    this.#resetIdleTimer();
  }

  attach(link: Client): void {
    this.#clients.add(link);
  }

  detach(link: Client): void {
    this.#clients.delete(link);
    this.#slots.detach(link);
  }

  handle(link: Client, request: HostRequest): void {
    if (this.#ended) return;
    if (this.#diskFull && this.#refuse(link, request, this.#diskFull)) return;
    switch (request.type) {
      case 'protocol_init':
        return; // Handled by the connection.
      case 'follow':
        for (const line of backlog(this.state, request, this.#ports.store.changesSince)) {
          link.sendLine(`${line}\n`);
        }
        link.following = true;
        return;
      case 'watch':
        link.watching = true;
        if (request.slots !== 'show') this.#slots.manage(link, request.slots === 'grant');
        link.send({ type: 'summary', summary: this.#summary() });
        if (this.#sessions) link.send(this.#sessions);
        return;
      case 'slot':
        this.#slots.answer(request);
        return;
      case 'preview':
        void this.#hold(async () => link.send(await this.#restorer.preview(request)));
        return;
      case 'command':
        if (this.#heldRequests) this.#heldRequests.push(() => this.handle(link, request));
        else if (isRestoreCommand(request.command) && !isRepeated(this.state, request.command)) {
          const { command } = request;
          void this.#hold(async () => link.send(await this.#restorer.run(command)));
        } else if (this.#queuedCommands)
          this.#queuedCommands.push(() => link.send(this.#command(request.command)));
        else if (this.#slots.mustRequest(request.command) && !isRepeated(this.state, request.command)) {
          void this.#hold(async () => {
            await this.#slots.request();
            if (!this.#ended) link.send(this.#command(request.command));
            this.#slots.changed([]);
          });
        } else link.send(this.#command(request.command));
        return;
      case 'entries':
        link.send({ type: 'entries', page: this.#ports.store.page(request.before, request.limit) });
        return;
      case 'text': {
        const entry = entryById(this.state, request.entry) ?? this.#ports.store.find(request.entry);
        const text = entry ? fieldText(entry, request.field).slice(request.from) : '';
        link.send({
          type: 'live',
          appends: [{ entry: request.entry, field: request.field, at: request.from, text }],
        });
        return;
      }
      case 'query':
        this.#query(link, request.command);
        return;
      case 'wake':
        this.#runner.startIfIdle();
        this.#resetIdleTimer();
        return;
      case 'end':
        if (request.ifIdle && hasWork(this.state)) return;
        void this.end();
        return;
    }
  }

  /** Ends the agent, flushes the journal, and lets the process exit. */
  async end(): Promise<void> {
    if (this.#ended) return;
    if (this.#diskFull) return this.#ports.onLeave?.();
    this.#ended = true;
    clearTimeout(this.#idleTimer);
    await this.#runner.close();
    await endRecorded(this.#ports.trees);
    this.#sessionLog.sync();
    this.#summaries.stop();
    for (const link of this.#clients) link.close();
    this.#ports.onEnd();
  }

  /** A fatal error: reports it to followers and ends the agent. Completed changes are in the journal. */
  async fail(error: unknown): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#idleTimer);
    const report = reportOf(isFileSystemError(error) ? notWrittenError(error) : error);
    for (const link of this.#clients) if (link.following) link.send({ type: 'error', ...report });
    await this.#ports.process.end(undefined);
  }

  /**
   * The disk is full (H5): ends the agent and reports the error. Once there is space, the missing part of the turn is
   * recovered from the agent's own file (H12). Returns false if the error is permanent; otherwise resolves when the
   * next host can start.
   */
  async waitForSpace(error: unknown): Promise<boolean> {
    if (this.#ended || this.#diskFull || !isDiskFault(error)) return false;
    const { label, process, timings } = this.#ports;
    clearTimeout(this.#idleTimer);
    this.#diskFull = reportOf(agentStoppedError(error, label, this.#history.hasReadableFile()));
    // From now on only the recovery writes: the runner's own handling of the exit would hide the rest of the turn.
    this.#sessionLog.hold();
    void this.#runner.close();
    for (const link of this.#clients) if (link.following) link.send({ type: 'error', ...this.#diskFull });
    this.#summaries.publish(() => this.#summary());
    await process.end(undefined);
    while (!this.#history.tryRecover(DISK_FULL)) await wait(timings.roomMs);
    this.#diskFull = undefined;
    this.#summaries.publish(() => this.#summary());
    this.#summaries.stop();
    this.#ended = true;
    return true;
  }

  /** While the disk is full: refuses commands and reports the reason to new followers. */
  #refuse(link: Client, request: HostRequest, why: ReturnType<typeof reportOf>): boolean {
    const isCommand = request.type === 'command' || request.type === 'query';
    if (isCommand) link.send({ type: 'error', ...why, command: request.command.id });
    if (request.type === 'follow') queueMicrotask(() => link.send({ type: 'error', ...why }));
    if (request.type === 'end' && !request.ifIdle) void this.end();
    return isCommand || request.type === 'wake' || request.type === 'end';
  }

  /** One at a time; commands wait. */
  async #hold(work: () => Promise<void>): Promise<void> {
    if (this.#heldRequests) {
      this.#heldRequests.push(() => void this.#hold(work));
      return;
    }
    this.#heldRequests = [];
    clearTimeout(this.#idleTimer);
    await work();
    const held = this.#heldRequests;
    this.#heldRequests = undefined;
    this.#resetIdleTimer();
    for (const take of held) take();
  }

  #query(link: Client, { id, what, input = {} }: Extract<HostRequest, { type: 'query' }>['command']): void {
    const answer = (reply: ControlAnswer) => link.send({ type: 'answer', id, ...reply });
    if (this.state.facts.controls?.includes(what)) this.#runner.control({ what, input, answer });
    else answer({ ok: false, text: REFUSALS.CONTROL_UNKNOWN });
  }

  #command(command: Command): HostMessage {
    if (command.kind === 'prompt.resend' || command.kind === 'prompt.drop') {
      this.#sessionLog.recall(command.prompt);
    }
    if (isRepeated(this.state, command)) return { type: 'receipt', command: command.id, v: this.state.v };
    if (command.kind === 'prompt.send') this.#history.catchUp();
    const { state } = this;
    const decision = this.#slots.decided(decide(state, command));
    if (decision.refusal) {
      const message = REFUSALS[decision.refusal];
      return { type: 'receipt', command: command.id, v: state.v, refusal: decision.refusal, message };
    }
    try {
      this.#sessionLog.commit(decision.changes, command.id);
    } catch (error) {
      // Nothing changed: the sender gets an error and may retry once there is space.
      if (!isFileSystemError(error)) throw error;
      this.#ports.log.error('command not written', { error });
      return { type: 'error', ...reportOf(notWrittenError(error)), command: command.id };
    }
    this.#slots.executed(command.kind);
    executeCommand({ ...this.#ports, runner: this.#runner, sessionLog: this.#sessionLog }, command, state);
    return { type: 'receipt', command: command.id, v: this.state.v };
  }

  #onChanges(changes: readonly Change[]): void {
    const line = `${changesLine(changes)}\n`;
    for (const link of this.#clients) link.publish(line);
    recordTurns(this.#ports.trees, changes);
    if (changes.some(({ kind }) => kind === 'turn.ended')) this.#sessionLog.sync();
    if (this.#queuedCommands && changes.some(endsHistoryReplay))
      queueMicrotask(() => this.#runQueuedCommands());
    this.#resetIdleTimer();
    this.#slots.changed(changes);
    this.#summaries.publish(() => this.#summary());
  }

  #runQueuedCommands(): void {
    const waiting = this.#queuedCommands ?? [];
    this.#queuedCommands = undefined;
    for (const take of waiting) take();
  }

  #onLive(appends: readonly Append[]): void {
    const line = `${liveLine(appends)}\n`;
    for (const link of this.#clients) link.publish(line);
    this.#resetIdleTimer();
    this.#summaries.publishLive(() => this.#summary());
  }

  #summary(): Summary {
    // The journal can't record that the agent was stopped, so the state still has the turn and its requests.
    if (this.#diskFull) {
      const agent = { state: 'failed', reason: this.#diskFull.message } as const;
      return { ...summarize({ ...this.state, turn: null, agent }), waiting: 0 };
    }
    const { slot } = this.#slots;
    return slot === undefined ? summarize(this.state) : { ...summarize(this.state), slot };
  }

  #publishSessions(sessions: readonly AgentSession[]): void {
    if (this.#ended || (sessions.length === 0 && !this.#sessions)) return;
    this.#sessions = { type: 'listed', sessions: [...sessions] };
    for (const link of this.#clients) if (link.watching) link.send(this.#sessions);
  }

  /** Restarts the idle timeout after activity (H1). */
  #resetIdleTimer(): void {
    if (this.#ended) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (hasWork(this.state) || pendingRequests(this.state).length > 0) this.#resetIdleTimer();
      else void this.end();
    }, this.#ports.timings.idleMs);
  }
}

/** The agent is ready or has failed. */
function endsHistoryReplay(change: Change): boolean {
  if (change.kind !== 'agent.changed') return false;
  const { state } = change.agent;
  return state !== 'starting' && state !== 'reconnecting';
}

function hasWork(state: Conversation): boolean {
  return state.turn !== null || state.queue.length > 0 || promptUnderway(state) !== undefined;
}
