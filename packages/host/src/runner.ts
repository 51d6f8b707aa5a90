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
import type { AgentOption } from '@tugdeck/protocol/conversation/session-facts';
import { promptUnderway } from '@tugdeck/protocol/conversation/state';
import { type Asked, AskedControls } from './asked-controls.ts';
import { describeExit, describeFailedStart, hostNotice } from './host-words.ts';
import type { Keeper } from './keeper.ts';
import { loadedPrompt, waitingPrompt } from './loaded-prompt.ts';
import { QuietWatch } from './quiet-watch.ts';
import { TaskOutput } from './task-output.ts';

/** The process side of an agent: written down before it speaks, ended provably. */
export interface AgentProcess {
  register(pid: number): void;
  /** Ends everything that was started; `farewell` says the protocol's own goodbye first. */
  end(farewell: (() => void) | undefined): Promise<void>;
}

export interface RunnerPorts {
  readonly driver: Driver;
  readonly keeper: Keeper;
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
  readonly resuming?: ((agentSession: string) => void) | undefined;
  /** Why the agent may not be started now; asked before every start, the ones after a crash too (X6). */
  readonly refusal?: (() => string | undefined) | undefined;
  /** Somebody follows the session. */
  readonly isFollowed: () => boolean;
  /** It was not started for that reason. */
  readonly refused?: (() => void) | undefined;
  /** What the agent keeps of its own sessions, each time it has come up. */
  readonly listed?: ((sessions: readonly AgentSession[]) => void) | undefined;
  readonly record: (direction: 'in' | 'out' | 'err' | 'note', line: string) => void;
}

type Life =
  | { readonly at: 'down' }
  /** It is gone; what it had started is being ended, and nothing is started beside that. */
  | { readonly at: 'settling' }
  | { readonly at: 'starting' | 'up' | 'ending'; readonly agent: Agent }
  | { readonly at: 'pausing'; readonly timer: NodeJS.Timeout };

export class Runner {
  readonly #ports: RunnerPorts;
  #life: Life = { at: 'down' };
  #failedStarts = 0;
  #deaths: number[] = [];
  #startTimer: NodeJS.Timeout | undefined;
  #cancelTimer: NodeJS.Timeout | undefined;
  /** Set while an end is wanted, so that the exit is no crash. */
  #ending: Promise<void> | undefined;
  /** Resolves when the agent's exit is settled in the conversation. */
  #settled: Promise<void> = Promise.resolve();
  /** Asked for while the agent was not up: what it says of itself at its start must not win over it. */
  readonly #wishes = new Map<string, string>();
  #exitTold: () => void = () => undefined;
  /** Asked for while it was being ended. */
  #wokenMeanwhile = false;
  #closed = false;
  readonly #quiet: QuietWatch;
  readonly #controls: AskedControls;
  readonly #output: TaskOutput;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
    const { keeper, timings, now } = ports;
    this.#controls = new AskedControls(keeper);
    this.#output = new TaskOutput(ports, () => (this.#life.at === 'up' ? this.#life.agent : undefined));
    this.#quiet = new QuietWatch({
      quietMs: timings.quietMs,
      now,
      state: () => keeper.state,
      say: (since) => keeper.commit([{ kind: 'turn.quiet', ...(since === undefined ? {} : { since }) }]),
    });
  }

  /** Somebody is about to use it: brings it up if it is down, but not one that was left stopped. */
  warm(): void {
    if (this.#ending || this.#life.at !== 'down') return;
    if (this.#ports.keeper.state.agent.state !== 'failed') this.wake();
  }

  /** Brings the agent up if it is down; being asked for also lifts the limit on failures. */
  wake(): void {
    if (this.#closed) return;
    if (this.#ending) {
      this.#wokenMeanwhile = true;
      return;
    }
    if (this.#life.at !== 'down' && this.#life.at !== 'settling') return;
    this.#failedStarts = 0;
    this.#deaths = [];
    if (this.#life.at === 'down') this.#start();
  }

  /** Gives the agent what waits for it, if it can take it now. */
  deliver(): void {
    const { keeper } = this.#ports;
    if (this.#life.at !== 'up') return;
    let next = waitingPrompt(keeper.state);
    if (keeper.state.turn) {
      if (next?.steered) this.#give(this.#life.agent, next);
      return;
    }
    const [queued] = keeper.state.queue;
    if (!next && queued && !promptUnderway(keeper.state)) {
      const { at: _at, ...prompt } = queued;
      keeper.commit([{ kind: 'prompt.accepted', prompt }]);
      next = waitingPrompt(keeper.state);
    }
    if (next) this.#give(this.#life.agent, next);
  }

  #give(agent: Agent, entry: UserEntry): void {
    const { keeper, load } = this.#ports;
    const { prompt, lost } = { prompt: undefined, ...loadedPrompt(entry, load) };
    if (prompt === undefined) {
      const why = `${lost} is not there any more.`;
      keeper.commit([{ kind: 'prompt.progressed', prompt: entry.id, delivery: 'failed', why }]);
      return;
    }
    this.#quiet.heard();
    agent.prompt(entry.steered && keeper.state.turn ? { ...prompt, steer: true } : prompt);
  }

  /** Its answer becomes the entry that was opened for it. */
  control(asked: Asked): void {
    if (this.#life.at === 'up') void this.#controls.ask(this.#life.agent, asked);
    else {
      this.#controls.later(asked);
      this.wake();
    }
  }

  cancel(): void {
    if (this.#life.at !== 'up') return;
    this.#life.agent.cancel();
    const turn = this.#ports.keeper.state.turn?.id;
    clearTimeout(this.#cancelTimer);
    this.#cancelTimer = setTimeout(() => {
      if (turn === undefined || this.#ports.keeper.state.turn?.id !== turn) return;
      this.#say('warning', `${this.#ports.label} did not stop when asked. It was ended and starts again.`);
      void this.restart();
    }, this.#ports.timings.cancelMs);
  }

  answer(request: RequestEntry, answer: Answer): void {
    if (this.#life.at === 'up') this.#life.agent.answer(request, answer);
  }

  configure(option: string, value: string): void {
    if (this.#life.at === 'up') this.#life.agent.configure(option, value);
    else this.#wishes.set(option, value);
  }

  async restart(): Promise<void> {
    await this.stop();
    this.wake();
  }

  /** Ends the agent and leaves it down. */
  stop(): Promise<void> {
    this.#ending ??= this.#end().finally(() => {
      this.#ending = undefined;
      const isWoken = this.#wokenMeanwhile;
      this.#wokenMeanwhile = false;
      if (isWoken) this.wake();
    });
    return this.#ending;
  }

  /** For the end of the host: nothing is started after this. */
  close(): Promise<void> {
    this.#closed = true;
    return this.stop();
  }

  #start(): void {
    const { driver, keeper, launch, timings } = this.#ports;
    const refusal = this.#ports.refusal?.();
    if (refusal !== undefined) {
      this.#life = { at: 'down' };
      this.#fail(refusal);
      this.#ports.refused?.();
      return;
    }
    const known = keeper.state.facts.agentSession || undefined;
    if (known !== undefined && !keeper.state.turn) this.#ports.resuming?.(known);
    const { facts, wanted } = keeper.state;
    keeper.commit([{ kind: 'agent.changed', agent: { state: 'starting' } }]);
    // An empty one says that going on was tried and failed.
    const { from: begin, ...how } = launch;
    const tell = keeper.state.nextSeq === 0;
    const from = facts.agentSession === undefined && begin ? { ...begin, tell } : undefined;
    const options = facts.options ?? [];
    const mode = wanted.mode ?? facts.mode ?? launch.mode;
    const model = wanted.model ?? facts.model ?? launch.model;
    this.#startTimer = setTimeout(() => {
      this.#say('warning', `${this.#ports.label} did not answer within ${timings.startTimeoutMs / 1000} s.`);
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
          usage: keeper.state.usage,
          ...(mode === undefined ? {} : { mode }),
          ...(model === undefined ? {} : { model }),
        },
        {
          emit: (outputs) => {
            keeper.take(outputs);
            this.#output.look();
            this.#settleTurn();
          },
          record: (direction, line) => {
            if (direction === 'out') this.#quiet.heard();
            this.#ports.record(direction, line);
          },
          spawned: (pid) => this.#ports.process.register(pid),
          ready: () => this.#up(options),
          exited: (exit) => {
            // A program that cannot be spawned may say so before `start` returned.
            if (started) this.#down(exit);
            else queueMicrotask(() => this.#down(exit));
          },
        },
      ),
    );
    started = true;
    if (agent) this.#life = { at: 'starting', agent };
  }

  #startOrFail(start: () => Agent): Agent | undefined {
    try {
      return start();
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      this.#life = { at: 'settling' };
      queueMicrotask(() => this.#down({ code: null, signal: null, stderr: '', failure }));
      return undefined;
    }
  }

  /** `before`: the settings that the agent before this one had. */
  #up(before: readonly AgentOption[]): void {
    if (this.#life.at !== 'starting') return;
    clearTimeout(this.#startTimer);
    const { agent } = this.#life;
    this.#life = { at: 'up', agent };
    this.#failedStarts = 0;
    const { keeper } = this.#ports;
    keeper.commit([{ kind: 'agent.changed', agent: { state: 'connected' } }]);
    // Mode and model came with the start; its other settings a new agent has to be told again.
    const { facts, wanted } = keeper.state;
    for (const { id, value } of facts.options ?? []) {
      const wish = wanted[id] ?? before.find((option) => option.id === id)?.value;
      if (wish !== undefined && wish !== value) agent.configure(id, wish);
    }
    for (const [option, value] of this.#wishes) agent.configure(option, value);
    this.#wishes.clear();
    this.#controls.flush(agent);
    this.deliver();
    void agent.sessions?.().then((sessions) => this.#ports.listed?.(sessions));
  }

  #down(exit: AgentExit): void {
    clearTimeout(this.#startTimer);
    clearTimeout(this.#cancelTimer);
    this.#quiet.stop();
    this.#output.stop();
    const wasUp = this.#life.at === 'up';
    this.#life = { at: 'settling' };
    this.#exitTold();
    const { keeper, timings, label } = this.#ports;
    const wanted = this.#ending !== undefined;
    keeper.commit(afterExit(keeper.state, exit, { expected: wanted || !wasUp }));
    keeper.sync();
    // Whatever it had started (a running command) must not live on beside its successor.
    this.#settled = this.#ports.process.end(undefined).then(() => {
      this.#life = { at: 'down' };
      if (this.#ending || this.#closed) {
        keeper.commit([{ kind: 'agent.changed', agent: { state: 'idle' } }]);
      } else if (exit.hopeless !== undefined) {
        this.#fail(exit.hopeless);
      } else if (exit.unresumable) {
        this.#startAfresh();
      } else if (wasUp) {
        this.#deaths = [...this.#deaths, performance.now()].filter(
          (at) => performance.now() - at < timings.restartWindowMs,
        );
        if (this.#deaths.length >= RESTART_BUDGET) {
          this.#fail(`${label} stopped three times in a minute.`);
        } else {
          this.#pause(timings.restartMs, describeExit(label, exit));
        }
      } else {
        const retryMs = timings.startRetryMs[this.#failedStarts];
        this.#failedStarts += 1;
        if (retryMs === undefined) this.#fail(describeFailedStart(label, exit), true);
        else this.#pause(retryMs, describeFailedStart(label, exit), true);
      }
    });
  }

  #pause(forMs: number, reason: string, unstarted?: true): void {
    const { keeper, now } = this.#ports;
    const agent = { state: 'reconnecting', reason, retryAt: now() + forMs } as const;
    keeper.commit([{ kind: 'agent.changed', agent: unstarted ? { ...agent, unstarted } : agent }]);
    const timer = setTimeout(() => this.#start(), forMs);
    this.#life = { at: 'pausing', timer };
  }

  /** No more by itself: what was not sent is marked, the user decides (H11). */
  #fail(reason: string, unstarted?: true): void {
    const { keeper } = this.#ports;
    const unsent = waitingPrompt(keeper.state);
    const agent = { state: 'failed', reason } as const;
    const changes: ChangeBody[] = [
      { kind: 'agent.changed', agent: unstarted ? { ...agent, unstarted } : agent },
      ...this.#controls.failed(reason),
    ];
    if (unsent) {
      changes.push({ kind: 'prompt.progressed', prompt: unsent.id, delivery: 'failed', why: reason });
    }
    keeper.commit(changes);
  }

  /** The agent knows nothing of the conversation above: say so, and go on (H9). */
  #startAfresh(): void {
    const { keeper, label } = this.#ports;
    const text = `${label} could not go on with its session. It starts afresh and knows nothing of the above.`;
    keeper.commit([
      { kind: 'session.described', facts: { agentSession: '' } },
      hostNotice('fresh', 'warning', text),
    ]);
    this.#start();
  }

  async #end(): Promise<void> {
    if (this.#life.at === 'settling') await this.#settled;
    const life = this.#life;
    if (life.at === 'pausing') {
      clearTimeout(life.timer);
      this.#life = { at: 'down' };
      this.#ports.keeper.commit([{ kind: 'agent.changed', agent: { state: 'idle' } }]);
    }
    if (life.at !== 'starting' && life.at !== 'up') return;
    this.#life = { at: 'ending', agent: life.agent };
    // The exit is told only after the last of its output was read, later than the process is gone.
    const told = new Promise<void>((resolve) => {
      this.#exitTold = resolve;
    });
    await this.#ports.process.end(() => life.agent.end());
    await told;
    await this.#settled;
  }

  /** A turn that just ended: written through, and the next prompt goes out. */
  #settleTurn(): void {
    if (this.#ports.keeper.state.turn) return;
    clearTimeout(this.#cancelTimer);
    this.deliver();
  }

  #say(level: 'info' | 'warning', text: string): void {
    this.#ports.keeper.commit([hostNotice('info', level, text)]);
  }
}
