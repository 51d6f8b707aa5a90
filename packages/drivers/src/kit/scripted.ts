/**
 * A driver without an agent: runs a script step by step in this process, for tests of the host and everything above
 * it. Waits only for gates and answers, never for time.
 */

import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { NewEntry, RequestEntry } from '@tugdeck/protocol/conversation/entries';
import type { SessionInfo, TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import type {
  Agent,
  AgentExit,
  AgentSession,
  AgentStart,
  ControlAnswer,
  ControlInput,
  Driver,
  DriverSink,
  Output,
  Prompt,
} from './port.ts';

export interface Gate {
  open(): void;
  readonly opened: Promise<void>;
}

export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

export type Step =
  | { readonly step: 'ready' }
  | { readonly step: 'delivered' }
  /** A text entry: opened, appended in pieces, closed. */
  | { readonly step: 'text'; readonly pieces: readonly string[]; readonly id?: string }
  | { readonly step: 'emit'; readonly outputs: readonly Output[] }
  /** Opens a request and continues after its answer. */
  | { readonly step: 'ask'; readonly entry: NewEntry }
  /** Opens `reached`, then waits for the test to open the gate. */
  | { readonly step: 'gate'; readonly gate: Gate; readonly reached?: Gate }
  | { readonly step: 'end'; readonly endedBy?: TurnEnd }
  | { readonly step: 'exit'; readonly exit?: Partial<AgentExit> };

export interface Script {
  /** Steps at the start; default: ready at once. `run` counts the starts. */
  readonly start?: (run: number) => readonly Step[];
  /** Steps after a prompt; default: echo. */
  readonly turn?: (prompt: Prompt, run: number) => readonly Step[];
  /** Steps after a cancel; default: end the turn as canceled. */
  readonly cancel?: readonly Step[];
  /** Steps after `end`; default: exit with 0. */
  readonly farewell?: readonly Step[];
  /** Answers controls; without it, the agent has none. */
  readonly control?: (what: string, input: ControlInput) => ControlAnswer | Promise<ControlAnswer>;
  /** The agent's own sessions. */
  readonly sessions?: readonly AgentSession[];
}

/** Calls to the scripted agents, over all starts. */
export interface Calls {
  readonly starts: AgentStart[];
  readonly prompts: Prompt[];
  readonly answers: { readonly request: RequestEntry; readonly answer: Answer }[];
  readonly configured: { readonly option: string; readonly value: string }[];
  cancels: number;
  ends: number;
}

export interface ScriptedDriver extends Driver {
  readonly calls: Calls;
  /** Simulates a crash of the running agent. */
  die(exit?: Partial<AgentExit>): void;
}

export const echo = (prompt: Prompt): readonly Step[] => [
  { step: 'delivered' },
  { step: 'text', pieces: ['You said: ', prompt.text] },
  { step: 'end' },
];

const GOOD: AgentExit = { code: 0, signal: null, stderr: '' };

export function scriptedDriver(script: Script = {}, protocol = 'scripted'): ScriptedDriver {
  const calls: Calls = { starts: [], prompts: [], answers: [], configured: [], cancels: 0, ends: 0 };
  let current: ScriptedAgent | undefined;
  return {
    protocol,
    calls,
    start(start, sink) {
      calls.starts.push(start);
      current = new ScriptedAgent(script, calls, sink);
      return current;
    },
    die(exit) {
      current?.exit(exit);
    },
  };
}

class ScriptedAgent implements Agent {
  readonly #script: Script;
  readonly #calls: Calls;
  readonly #sink: DriverSink;
  readonly #run: number;
  readonly #answered = new Map<string, () => void>();
  #prompt: Prompt | undefined;
  #turn: string | undefined;
  #texts = 0;
  /** Open entries of the script, closed at the end of the turn. */
  readonly #open = new Map<string, NewEntry>();
  /** Incremented by a cancel that ends the turn: abandoned steps do nothing. */
  #epoch = 0;
  #over = false;

  constructor(script: Script, calls: Calls, sink: DriverSink) {
    this.#script = script;
    this.#calls = calls;
    this.#sink = sink;
    this.#run = calls.starts.length;
    sink.spawned(process.pid);
    this.#runSteps(script.start?.(this.#run) ?? [{ step: 'ready' }]);
  }

  prompt(prompt: Prompt): void {
    this.#calls.prompts.push(prompt);
    this.#prompt = prompt;
    if (this.#turn === undefined) {
      this.#turn = `turn-${this.#run}-${this.#calls.prompts.length}`;
      this.#emit([{ kind: 'turn.started', turn: this.#turn, origin: 'user', prompts: [prompt.id] }]);
    } else {
      this.#emit([{ kind: 'turn.joined', turn: this.#turn, prompt: prompt.id }]);
    }
    this.#runSteps((this.#script.turn ?? echo)(prompt, this.#run));
  }

  cancel(): void {
    this.#calls.cancels++;
    if (this.#turn === undefined) return;
    const steps = this.#script.cancel ?? [{ step: 'end', endedBy: 'cancelled' }];
    if (steps.some(({ step }) => step === 'end')) this.#epoch++;
    this.#runSteps(steps);
  }

  answer(request: RequestEntry, answer: Answer): void {
    this.#calls.answers.push({ request, answer });
    this.#open.delete(request.id);
    this.#answered.get(request.id)?.();
    this.#answered.delete(request.id);
  }

  configure(option: string, value: string): void {
    this.#calls.configured.push({ option, value });
    const facts: SessionInfo =
      option === 'mode' || option === 'model'
        ? { [option]: value }
        : { options: [{ id: option, label: option, kind: 'select', value, choices: [] }] };
    this.#emit([{ kind: 'session.described', facts }]);
  }

  async sessions(): Promise<readonly AgentSession[]> {
    return this.#script.sessions ?? [];
  }

  async control(what: string, input: ControlInput): Promise<ControlAnswer> {
    return (await this.#script.control?.(what, input)) ?? { ok: false, text: 'No such control.' };
  }

  end(): void {
    this.#calls.ends++;
    this.#runSteps(this.#script.farewell ?? [{ step: 'exit' }]);
  }

  exit(exit: Partial<AgentExit> = {}): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.exited({ ...GOOD, ...exit });
  }

  #emit(outputs: readonly Output[]): void {
    if (this.#over) return;
    for (const output of outputs) {
      if (output.kind === 'entry.opened' && output.entry.status === 'partial') {
        this.#open.set(output.entry.id, output.entry);
      } else if (output.kind === 'entry.closed' || output.kind === 'request.settled') {
        this.#open.delete(output.entry);
      }
    }
    this.#sink.emit(outputs);
  }

  #leftOpen(): Output[] {
    return [...this.#open.values()].map((entry): Output => {
      if ('request' in entry) return { kind: 'request.settled', entry: entry.id, status: 'withdrawn' };
      const patch = entry.kind === 'tool' ? { state: 'interrupted' as const } : {};
      return { kind: 'entry.closed', entry: entry.id, status: 'cancelled', patch };
    });
  }

  /** Runs steps in order; waiting steps delay the rest. */
  async #runSteps(steps: readonly Step[]): Promise<void> {
    const epoch = this.#epoch;
    // Like a process, it acts only after the call has returned.
    await Promise.resolve();
    for (const step of steps) {
      if (this.#over || epoch !== this.#epoch) return;
      const waits = this.#take(step);
      if (waits) await waits;
    }
  }

  #take(step: Step): Promise<void> | undefined {
    switch (step.step) {
      case 'ready':
        this.#sink.ready();
        return undefined;
      case 'delivered':
        if (this.#prompt) {
          this.#emit([{ kind: 'prompt.progressed', prompt: this.#prompt.id, delivery: 'delivered' }]);
        }
        return undefined;
      case 'text':
        this.#text(step.id ?? `text-${this.#run}-${++this.#texts}`, step.pieces);
        return undefined;
      case 'emit':
        this.#emit(step.outputs);
        return undefined;
      case 'ask': {
        const answered = createGate();
        this.#answered.set(step.entry.id, answered.open);
        this.#emit([{ kind: 'entry.opened', entry: step.entry }]);
        return answered.opened;
      }
      case 'gate':
        step.reached?.open();
        return step.gate.opened;
      case 'end': {
        const turn = this.#turn;
        this.#turn = undefined;
        if (turn !== undefined) {
          this.#emit([
            ...this.#leftOpen(),
            { kind: 'turn.ended', turn, endedBy: step.endedBy ?? 'completed' },
          ]);
        }
        return undefined;
      }
      case 'exit':
        this.exit(step.exit);
        return undefined;
    }
  }

  #text(entry: string, pieces: readonly string[]): void {
    this.#emit([{ kind: 'entry.opened', entry: { id: entry, kind: 'text', status: 'partial', text: '' } }]);
    let at = 0;
    for (const text of pieces) {
      this.#emit([{ kind: 'live', entry, field: 'text', at, text }]);
      at += text.length;
    }
    this.#emit([{ kind: 'entry.closed', entry, status: 'complete', patch: { text: pieces.join('') } }]);
  }
}
