/**
 * Runs a session's agent: start, restart within a budget, one prompt at a time from the queue, cancellation with
 * escalation, and a shutdown that leaves no process behind (A24, A25, H6, H8, H11, L8). Records everything as changes
 * in the session log; makes no decisions about the conversation.
 */
import type { Agent, AgentExit, AgentSession } from '@tugdeck/drivers/kit/port';
import { RESTART_BUDGET, type Timings } from '@tugdeck/local/timings';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry, UserEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import type { AgentOption } from '@tugdeck/protocol/conversation/session-info';
import { promptUnderway } from '@tugdeck/protocol/conversation/state';
import type { AgentHistory, AgentHistoryPorts } from './agent-history.ts';
import type { AgentProcess } from './agent-process.ts';
import type { Ending, Lifecycle } from './lifecycle.ts';
import { loadedPrompt, waitingPrompt } from './loaded-prompt.ts';
import { describeExit, describeFailedStart, hostNotice, withMoved } from './notices.ts';
import { type PendingControl, PendingControls } from './pending-controls.ts';
import { PromptHold } from './prompt-hold.ts';
import { QuietWatch } from './quiet-watch.ts';
import type { SessionLog } from './session-log.ts';
import { sessionStart } from './session-start.ts';
import { TaskOutput } from './task-output.ts';
import type { TreeRecorder } from './tree-recorder.ts';

export interface RunnerPorts extends Pick<AgentHistoryPorts, 'driver' | 'launch' | 'label' | 'now'> {
  readonly sessionLog: SessionLog;
  readonly load: (ref: BlobRef) => string | undefined;
  readonly timings: Timings;
  readonly process: AgentProcess;
  readonly history: Pick<AgentHistory, 'settleExit' | 'importExternalTurns'>;
  /** Why the agent must not be started now. Checked before every start, including restarts (X6). */
  readonly refusal?: (() => string | undefined) | undefined;
  readonly trees?: TreeRecorder | undefined;
  readonly isFollowed: () => boolean;
  /** A turn may start (D40). */
  readonly mayStartTurn: () => boolean;
  readonly onRefused?: (() => void) | undefined;
  /** The agent's own list of sessions, after each start. */
  readonly onSessions?: ((sessions: readonly AgentSession[]) => void) | undefined;
  readonly record: (direction: 'in' | 'out' | 'err' | 'note', line: string) => void;
}

export class Runner {
  readonly #ports: RunnerPorts;
  #lifecycle: Lifecycle = { at: 'down' };
  #failedStarts = 0;
  #crashes: number[] = [];
  #startTimer: NodeJS.Timeout | undefined;
  #cancelTimer: NodeJS.Timeout | undefined;
  #ending: Ending = { at: 'no' };
  /** Resolves when the agent's exit is settled in the conversation. */
  #settled: Promise<void> = Promise.resolve();
  /**
   * Settings requested while the agent was not running. They override the values that the agent reports at its start.
   */
  readonly #pendingSettings = new Map<string, string>();
  #notifyExit: () => void = () => undefined;
  readonly #hold: PromptHold;
  readonly #quiet: QuietWatch;
  readonly #controls: PendingControls;
  readonly #output: TaskOutput;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
    const { sessionLog, timings, now } = ports;
    this.#controls = new PendingControls(sessionLog);
    this.#hold = new PromptHold(ports.trees, timings.treeWaitMs, () => this.deliver());
    this.#output = new TaskOutput(ports, () =>
      this.#lifecycle.at === 'up' ? this.#lifecycle.agent : undefined,
    );
    this.#quiet = new QuietWatch({
      quietMs: timings.quietMs,
      now,
      state: () => sessionLog.state,
      report: (since) =>
        sessionLog.commit([{ kind: 'turn.quiet', ...(since === undefined ? {} : { since }) }]),
    });
  }

  /** A user is about to send a prompt: starts the agent if it is down, unless it failed. */
  startIfIdle(): void {
    if (this.#ending.at !== 'no' || this.#lifecycle.at !== 'down') return;
    if (this.#ports.sessionLog.state.agent.state !== 'failed') this.ensureStarted();
  }

  /** Starts the agent if it is down. An explicit request also resets the restart budget. */
  ensureStarted(): void {
    if (this.#ending.at === 'stopping') this.#ending.thenStart = true;
    if (this.#ending.at !== 'no') return;
    if (this.#lifecycle.at !== 'down' && this.#lifecycle.at !== 'settling') return;
    this.#failedStarts = 0;
    this.#crashes = [];
    if (this.#lifecycle.at === 'down') this.#start();
  }

  /** For a prompt without a slot, the agent starts when it gets one (D40). */
  startForPrompt(): void {
    if (this.#ports.mayStartTurn() || this.#ports.sessionLog.state.turn) this.ensureStarted();
  }

  /** Sends the next pending prompt if the agent can take it now. */
  deliver(): void {
    const { sessionLog } = this.#ports;
    if (this.#lifecycle.at !== 'up') return;
    let next = waitingPrompt(sessionLog.state);
    if (sessionLog.state.turn) {
      if (next?.steered) this.#sendPrompt(this.#lifecycle.agent, next);
      return;
    }
    if (!this.#ports.mayStartTurn()) return;
    const [queued] = sessionLog.state.queue;
    if (!next && queued && !promptUnderway(sessionLog.state)) {
      const { at: _at, ...prompt } = queued;
      sessionLog.commit([{ kind: 'prompt.accepted', prompt }]);
      next = waitingPrompt(sessionLog.state);
    }
    if (next) this.#sendPrompt(this.#lifecycle.agent, next);
  }

  #sendPrompt(agent: Agent, entry: UserEntry): void {
    const { sessionLog, load } = this.#ports;
    if (!sessionLog.state.turn && this.#hold.isHeld(entry.id)) return;
    const { prompt, lost } = { prompt: undefined, ...loadedPrompt(entry, load) };
    if (prompt === undefined) {
      const why = `${lost} no longer exists.`;
      sessionLog.commit([{ kind: 'prompt.progressed', prompt: entry.id, delivery: 'failed', why }]);
      return;
    }
    this.#quiet.activity();
    // On disk before the agent gets it (M5).
    sessionLog.commit([{ kind: 'prompt.progressed', prompt: entry.id, delivery: 'sending' }]);
    const text = withMoved(prompt.text, entry, entriesFrom(sessionLog.state.entries));
    const whole = text === prompt.text ? prompt : { ...prompt, text };
    agent.prompt(entry.steered && sessionLog.state.turn ? { ...whole, steer: true } : whole);
  }

  control(control: PendingControl): void {
    if (this.#lifecycle.at === 'up') void this.#controls.send(this.#lifecycle.agent, control);
    else {
      this.#controls.queue(control);
      this.ensureStarted();
    }
  }

  cancel(): void {
    if (this.#lifecycle.at !== 'up') return;
    this.#lifecycle.agent.cancel();
    const turn = this.#ports.sessionLog.state.turn?.id;
    clearTimeout(this.#cancelTimer);
    this.#cancelTimer = setTimeout(() => {
      if (turn === undefined || this.#ports.sessionLog.state.turn?.id !== turn) return;
      this.#addNotice(
        'warning',
        `${this.#ports.label} did not stop when requested. It was ended and is restarting.`,
      );
      void this.restart();
    }, this.#ports.timings.cancelMs);
  }

  answer(request: RequestEntry, answer: Answer): void {
    if (this.#lifecycle.at === 'up') this.#lifecycle.agent.answer(request, answer);
  }

  configure(option: string, value: string): void {
    if (this.#lifecycle.at === 'up') this.#lifecycle.agent.configure(option, value);
    else this.#pendingSettings.set(option, value);
  }

  async restart(): Promise<void> {
    await this.stop();
    this.ensureStarted();
  }

  /** Ends the agent and does not restart it. */
  stop(): Promise<void> {
    if (this.#ending.at !== 'no') return this.#ending.done;
    const done = this.#end().finally(() => this.#stopped());
    this.#ending = { at: 'stopping', done, thenStart: false };
    return done;
  }

  /** For the host's shutdown: prevents further starts. */
  close(): Promise<void> {
    const before = this.#ending;
    // Set before `#end`, because the exit may be reported synchronously.
    this.#ending = { at: 'closing', done: Promise.resolve() };
    const done = before.at === 'no' ? this.#end() : before.done;
    this.#ending = { at: 'closing', done };
    return done;
  }

  #stopped(): void {
    if (this.#ending.at !== 'stopping') return;
    const { thenStart } = this.#ending;
    this.#ending = { at: 'no' };
    if (thenStart) this.ensureStarted();
  }

  #start(): void {
    const { driver, sessionLog, launch, timings } = this.#ports;
    const refusal = this.#ports.refusal?.();
    if (refusal !== undefined) {
      this.#lifecycle = { at: 'down' };
      this.#fail(refusal);
      this.#ports.onRefused?.();
      return;
    }
    const known = sessionLog.state.facts.agentSession;
    if (known && !sessionLog.state.turn) this.#ports.history.importExternalTurns(known);
    const { facts, wanted } = sessionLog.state;
    const { options = [] } = facts;
    sessionLog.commit([{ kind: 'agent.changed', agent: { state: 'starting' } }]);
    const { from: begin, ...how } = launch;
    const mode = wanted.mode ?? facts.mode ?? launch.mode;
    const model = wanted.model ?? facts.model ?? launch.model;
    this.#startTimer = setTimeout(() => {
      const limit = `${timings.startTimeoutMs / 1000} s`;
      this.#addNotice('warning', `${this.#ports.label} did not answer within ${limit}.`);
      void this.#ports.process.end(undefined);
    }, timings.startTimeoutMs);
    let started = false;
    // Spawning may fail synchronously, for example if the directory is a file: a failed start.
    const agent = this.#startOrFail(() =>
      driver.start(
        {
          ...how,
          session: sessionStart(sessionLog.state, begin),
          usage: sessionLog.state.usage,
          ...(mode === undefined ? {} : { mode }),
          ...(model === undefined ? {} : { model }),
        },
        {
          emit: (outputs) => {
            sessionLog.emit(outputs);
            this.#output.check();
            this.#afterOutput();
          },
          record: (direction, line) => {
            if (direction === 'out') this.#quiet.activity();
            this.#ports.record(direction, line);
          },
          spawned: (pid) => this.#ports.process.register(pid),
          ready: () => this.#onReady(options),
          exited: (exit) => {
            // A failed spawn may be reported before `start` returns.
            if (started) this.#onExit(exit);
            else queueMicrotask(() => this.#onExit(exit));
          },
        },
      ),
    );
    started = true;
    if (agent) this.#lifecycle = { at: 'starting', agent };
  }

  #startOrFail(start: () => Agent): Agent | undefined {
    try {
      return start();
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      this.#lifecycle = { at: 'settling' };
      queueMicrotask(() => this.#onExit({ code: null, signal: null, stderr: '', failure }));
      return undefined;
    }
  }

  /** `before`: the option values of the previous agent. */
  #onReady(before: readonly AgentOption[]): void {
    if (this.#lifecycle.at !== 'starting') return;
    clearTimeout(this.#startTimer);
    const { agent } = this.#lifecycle;
    this.#lifecycle = { at: 'up', agent };
    this.#failedStarts = 0;
    const { sessionLog } = this.#ports;
    sessionLog.commit([{ kind: 'agent.changed', agent: { state: 'connected' } }]);
    // Mode and model were part of the start; other options must be set again.
    const { facts, wanted } = sessionLog.state;
    for (const { id, value } of facts.options ?? []) {
      const chosen = wanted[id] ?? before.find((option) => option.id === id)?.value;
      if (chosen !== undefined && chosen !== value) agent.configure(id, chosen);
    }
    for (const [option, value] of this.#pendingSettings) agent.configure(option, value);
    this.#pendingSettings.clear();
    this.#controls.flush(agent);
    this.deliver();
    void agent.sessions?.().then((sessions) => this.#ports.onSessions?.(sessions));
  }

  #onExit(exit: AgentExit): void {
    clearTimeout(this.#startTimer);
    clearTimeout(this.#cancelTimer);
    this.#quiet.stop();
    this.#output.stop();
    const wasUp = this.#lifecycle.at === 'up';
    this.#lifecycle = { at: 'settling' };
    this.#notifyExit();
    const { sessionLog, timings, label } = this.#ports;
    const settle = this.#ports.history.settleExit(exit, this.#ending.at !== 'no' || !wasUp);
    sessionLog.sync();
    // Child processes, such as a running command, must not outlive the agent.
    this.#settled = this.#ports.process.end(undefined).then(() => {
      settle();
      this.#lifecycle = { at: 'down' };
      if (this.#ending.at !== 'no') {
        sessionLog.commit([{ kind: 'agent.changed', agent: { state: 'idle' } }]);
      } else if (exit.fatal !== undefined) {
        this.#fail(exit.fatal);
      } else if (exit.unresumable) {
        this.#startNewSession();
      } else if (wasUp) {
        this.#crashes = [...this.#crashes, performance.now()].filter(
          (at) => performance.now() - at < timings.restartWindowMs,
        );
        if (this.#crashes.length >= RESTART_BUDGET) {
          this.#fail(`${label} stopped three times in a minute.`);
        } else {
          this.#scheduleRestart(timings.restartMs, describeExit(label, exit));
        }
      } else {
        const retryMs = timings.startRetryMs[this.#failedStarts];
        this.#failedStarts += 1;
        if (retryMs === undefined) this.#fail(describeFailedStart(label, exit), true);
        else this.#scheduleRestart(retryMs, describeFailedStart(label, exit), true);
      }
    });
  }

  #scheduleRestart(forMs: number, reason: string, unstarted?: true): void {
    const { sessionLog, now } = this.#ports;
    const agent = { state: 'reconnecting', reason, retryAt: now() + forMs } as const;
    sessionLog.commit([{ kind: 'agent.changed', agent: unstarted ? { ...agent, unstarted } : agent }]);
    const timer = setTimeout(() => this.#start(), forMs);
    this.#lifecycle = { at: 'pausing', timer };
  }

  /** Stops automatic restarts: marks the unsent prompt as failed and leaves the decision to the user (H11). */
  #fail(reason: string, unstarted?: true): void {
    const { sessionLog } = this.#ports;
    const unsent = waitingPrompt(sessionLog.state);
    const agent = { state: 'failed', reason } as const;
    const changes: ChangeBody[] = [
      { kind: 'agent.changed', agent: unstarted ? { ...agent, unstarted } : agent },
      ...this.#controls.failAll(reason),
    ];
    if (unsent) {
      changes.push({ kind: 'prompt.progressed', prompt: unsent.id, delivery: 'failed', why: reason });
    }
    sessionLog.commit(changes);
  }

  /** The agent cannot resume its session: adds a notice and starts a new one (H9). */
  #startNewSession(): void {
    const { sessionLog, label } = this.#ports;
    const text = `${label} couldn't resume its session. A new one starts here and doesn't know the conversation above.`;
    sessionLog.commit([
      { kind: 'session.described', facts: { agentSession: '' } },
      // A restore wanted a fork of it: without this, every start would try that again (T26).
      ...(sessionLog.state.memory ? [{ kind: 'memory.changed', memory: { kind: 'new' } } as const] : []),
      hostNotice('fresh', 'warning', text),
    ]);
    this.#start();
  }

  async #end(): Promise<void> {
    if (this.#lifecycle.at === 'settling') await this.#settled;
    const life = this.#lifecycle;
    if (life.at === 'pausing') {
      clearTimeout(life.timer);
      this.#lifecycle = { at: 'down' };
      this.#ports.sessionLog.commit([{ kind: 'agent.changed', agent: { state: 'idle' } }]);
    }
    if (life.at !== 'starting' && life.at !== 'up') return;
    this.#lifecycle = { at: 'ending', agent: life.agent };
    // The exit is reported only after the last output was read, which is later than the process's end.
    const reported = new Promise<void>((resolve) => {
      this.#notifyExit = resolve;
    });
    await this.#ports.process.end(() => life.agent.end());
    await reported;
    await this.#settled;
  }

  #afterOutput(): void {
    if (this.#ports.sessionLog.state.turn) return;
    clearTimeout(this.#cancelTimer);
    this.deliver();
  }

  #addNotice(level: 'info' | 'warning', text: string): void {
    this.#ports.sessionLog.commit([hostNotice('info', level, text)]);
  }
}
