/**
 * Runs the agent of one session: start, restart within a budget, one prompt at a time from the queue, cancel
 * with escalation, an ending that leaves nothing behind (A24, A25, H6, H8, H11, L8). Everything it finds out
 * becomes a change through the keeper; it decides nothing about the conversation itself.
 */
import { randomUUID } from 'node:crypto';
import { afterExit } from '@tugdeck/drivers/kit/after-exit';
import type {
  Agent,
  AgentExit,
  AgentSession,
  AgentStart,
  Driver,
  SessionStart,
} from '@tugdeck/drivers/kit/port';
import { RESTART_BUDGET, type Timings } from '@tugdeck/local/timings';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { BlobRef, RequestEntry, UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { AgentOption } from '@tugdeck/protocol/conversation/session-info';
import { promptUnderway } from '@tugdeck/protocol/conversation/state';
import { loadedPrompt, waitingPrompt } from './loaded-prompt.ts';
import { describeExit, describeFailedStart, hostNotice } from './notices.ts';
import { type PendingControl, PendingControls } from './pending-controls.ts';
import { QuietWatch } from './quiet-watch.ts';
import type { SessionLog } from './session-log.ts';
import { TaskOutput } from './task-output.ts';

/** The process side of an agent: written down before it speaks, ended provably. */
export interface AgentProcess {
  register(pid: number): void;
  /** Ends everything that was started; `farewell` says the protocol's own goodbye first. */
  end(farewell: (() => void) | undefined): Promise<void>;
}

export interface RunnerPorts {
  readonly driver: Driver;
  readonly sessionLog: SessionLog;
  readonly launch: Omit<AgentStart, 'session' | 'usage'> & {
    /** What a session without one of the agent's own begins with; a fresh one where nothing is said. */
    readonly from?: SessionStart | undefined;
  };
  /** The text behind a reference. */
  readonly load: (ref: BlobRef) => string | undefined;
  readonly label: string;
  readonly timings: Timings;
  readonly now: () => number;
  readonly process: AgentProcess;
  /** The agent is about to go on with its session, and nothing waits for it. */
  readonly onResume?: ((agentSession: string) => void) | undefined;
  /** Why the agent may not be started now; asked before every start, the ones after a crash too (X6). */
  readonly refusal?: (() => string | undefined) | undefined;
  /** Somebody follows the session. */
  readonly isFollowed: () => boolean;
  /** It was not started for that reason. */
  readonly onRefused?: (() => void) | undefined;
  /** What the agent keeps of its own sessions, each time it has come up. */
  readonly onSessions?: ((sessions: readonly AgentSession[]) => void) | undefined;
  readonly record: (direction: 'in' | 'out' | 'err' | 'note', line: string) => void;
}

type Lifecycle =
  | { readonly at: 'down' }
  /** It is gone; what it had started is being ended, and nothing is started beside that. */
  | { readonly at: 'settling' }
  | { readonly at: 'starting' | 'up' | 'ending'; readonly agent: Agent }
  | { readonly at: 'pausing'; readonly timer: NodeJS.Timeout };

export class Runner {
  readonly #ports: RunnerPorts;
  #lifecycle: Lifecycle = { at: 'down' };
  #failedStarts = 0;
  #crashes: number[] = [];
  #startTimer: NodeJS.Timeout | undefined;
  #cancelTimer: NodeJS.Timeout | undefined;
  /** Set while an end is wanted, so that the exit is no crash. */
  #ending: Promise<void> | undefined;
  /** Resolves when the agent's exit is settled in the conversation. */
  #settled: Promise<void> = Promise.resolve();
  /** Asked for while the agent was not up: what it says of itself at its start must not win over it. */
  readonly #pendingSettings = new Map<string, string>();
  #notifyExit: () => void = () => undefined;
  /** Asked for while it was being ended. */
  #startRequested = false;
  #closed = false;
  readonly #quiet: QuietWatch;
  readonly #controls: PendingControls;
  readonly #output: TaskOutput;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
    const { sessionLog, timings, now } = ports;
    this.#controls = new PendingControls(sessionLog);
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

  /** Somebody is about to use it: brings it up if it is down, but not one that was left stopped. */
  startIfIdle(): void {
    if (this.#ending || this.#lifecycle.at !== 'down') return;
    if (this.#ports.sessionLog.state.agent.state !== 'failed') this.ensureStarted();
  }

  /** Brings the agent up if it is down; being asked for also lifts the limit on failures. */
  ensureStarted(): void {
    if (this.#closed) return;
    if (this.#ending) {
      this.#startRequested = true;
      return;
    }
    if (this.#lifecycle.at !== 'down' && this.#lifecycle.at !== 'settling') return;
    this.#failedStarts = 0;
    this.#crashes = [];
    if (this.#lifecycle.at === 'down') this.#start();
  }

  /** Gives the agent what waits for it, if it can take it now. */
  deliver(): void {
    const { sessionLog } = this.#ports;
    if (this.#lifecycle.at !== 'up') return;
    let next = waitingPrompt(sessionLog.state);
    if (sessionLog.state.turn) {
      if (next?.steered) this.#sendPrompt(this.#lifecycle.agent, next);
      return;
    }
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
    const { prompt, lost } = { prompt: undefined, ...loadedPrompt(entry, load) };
    if (prompt === undefined) {
      const why = `${lost} is not there any more.`;
      sessionLog.commit([{ kind: 'prompt.progressed', prompt: entry.id, delivery: 'failed', why }]);
      return;
    }
    this.#quiet.activity();
    agent.prompt(entry.steered && sessionLog.state.turn ? { ...prompt, steer: true } : prompt);
  }

  /** Its answer becomes the entry that was opened for it. */
  control(asked: PendingControl): void {
    if (this.#lifecycle.at === 'up') void this.#controls.send(this.#lifecycle.agent, asked);
    else {
      this.#controls.queue(asked);
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
        `${this.#ports.label} did not stop when asked. It was ended and starts again.`,
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

  /** Ends the agent and leaves it down. */
  stop(): Promise<void> {
    this.#ending ??= this.#end().finally(() => {
      this.#ending = undefined;
      const isWoken = this.#startRequested;
      this.#startRequested = false;
      if (isWoken) this.ensureStarted();
    });
    return this.#ending;
  }

  /** For the end of the host: nothing is started after this. */
  close(): Promise<void> {
    this.#closed = true;
    return this.stop();
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
    const known = sessionLog.state.facts.agentSession || undefined;
    if (known !== undefined && !sessionLog.state.turn) this.#ports.onResume?.(known);
    const { facts, wanted } = sessionLog.state;
    sessionLog.commit([{ kind: 'agent.changed', agent: { state: 'starting' } }]);
    // An empty one says that going on was tried and failed.
    const { from: begin, ...how } = launch;
    const tell = sessionLog.state.nextSeq === 0;
    const from = facts.agentSession === undefined && begin ? { ...begin, tell } : undefined;
    const options = facts.options ?? [];
    const mode = wanted.mode ?? facts.mode ?? launch.mode;
    const model = wanted.model ?? facts.model ?? launch.model;
    this.#startTimer = setTimeout(() => {
      this.#addNotice(
        'warning',
        `${this.#ports.label} did not answer within ${timings.startTimeoutMs / 1000} s.`,
      );
      void this.#ports.process.end(undefined);
    }, timings.startTimeoutMs);
    let started = false;
    // The system may refuse at once (a directory that is a file by now): a failed start like any other.
    const agent = this.#startOrFail(() =>
      driver.start(
        {
          ...how,
          session:
            known === undefined ? (from ?? { kind: 'new', id: randomUUID() }) : { kind: 'resume', id: known },
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
            // A program that cannot be spawned may say so before `start` returned.
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

  /** `before`: the settings that the agent before this one had. */
  #onReady(before: readonly AgentOption[]): void {
    if (this.#lifecycle.at !== 'starting') return;
    clearTimeout(this.#startTimer);
    const { agent } = this.#lifecycle;
    this.#lifecycle = { at: 'up', agent };
    this.#failedStarts = 0;
    const { sessionLog } = this.#ports;
    sessionLog.commit([{ kind: 'agent.changed', agent: { state: 'connected' } }]);
    // Mode and model came with the start; its other settings a new agent has to be told again.
    const { facts, wanted } = sessionLog.state;
    for (const { id, value } of facts.options ?? []) {
      const wish = wanted[id] ?? before.find((option) => option.id === id)?.value;
      if (wish !== undefined && wish !== value) agent.configure(id, wish);
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
    const wanted = this.#ending !== undefined;
    sessionLog.commit(afterExit(sessionLog.state, exit, { expected: wanted || !wasUp }));
    sessionLog.sync();
    // Whatever it had started (a running command) must not live on beside its successor.
    this.#settled = this.#ports.process.end(undefined).then(() => {
      this.#lifecycle = { at: 'down' };
      if (this.#ending || this.#closed) {
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

  /** No more by itself: what was not sent is marked, the user decides (H11). */
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

  /** The agent knows nothing of the conversation above: say so, and go on (H9). */
  #startNewSession(): void {
    const { sessionLog, label } = this.#ports;
    const text = `${label} could not go on with its session. It starts afresh and knows nothing of the above.`;
    sessionLog.commit([
      { kind: 'session.described', facts: { agentSession: '' } },
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
    // The exit is told only after the last of its output was read, later than the process is gone.
    const told = new Promise<void>((resolve) => {
      this.#notifyExit = resolve;
    });
    await this.#ports.process.end(() => life.agent.end());
    await told;
    await this.#settled;
  }

  /** A turn that just ended: written through, and the next prompt goes out. */
  #afterOutput(): void {
    if (this.#ports.sessionLog.state.turn) return;
    clearTimeout(this.#cancelTimer);
    this.deliver();
  }

  #addNotice(level: 'info' | 'warning', text: string): void {
    this.#ports.sessionLog.commit([hostNotice('info', level, text)]);
  }
}
