/**
 * Holds back the prompt that would start a turn until the machine grants a slot (D40). Nothing here is durable: a held
 * prompt is in the session's queue, and its time decides its place in the machine's queue.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Command } from '@tugdeck/protocol/conversation/commands';
import { type Decision, decide } from '@tugdeck/protocol/conversation/decide';
import { type Conversation, promptUnderway } from '@tugdeck/protocol/conversation/state';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { waitingPrompt } from './loaded-prompt.ts';

export interface SlotGatePorts {
  /** Started by a machine that grants slots. */
  readonly isManaged: boolean;
  readonly now: () => number;
  readonly state: () => Conversation;
  /** The session may start a turn: start the agent and deliver. */
  readonly onOpen: () => void;
  /** The summary changed. */
  readonly onChange: () => void;
}

/** Timeout for the machine's answer. If it comes later, the prompt is queued until then. */
const ANSWER_MS = 2_000;

export class SlotGate {
  readonly #ports: SlotGatePorts;
  #isManaged: boolean;
  /** The connection of the machine; undefined while no server runs. */
  #manager: object | undefined;
  #isGranted = false;
  #ahead: number | undefined;
  /** A prompt that is not in the queue yet waits for the answer. */
  #requested: { readonly since: number; readonly answered: () => void } | undefined;
  /** The user stopped the agent: queued prompts wait for the next prompt or start. */
  #isPaused = false;

  constructor(ports: SlotGatePorts) {
    this.#ports = ports;
    this.#isManaged = ports.isManaged;
  }

  /** A turn may start. */
  get isOpen(): boolean {
    return !this.#isManaged || this.#isGranted;
  }

  /** A queued prompt waits for a slot. */
  get isHolding(): boolean {
    return this.#since() !== undefined;
  }

  manage(client: object, knowsSlots: boolean): void {
    this.#manager = knowsSlots ? client : undefined;
    if (this.#isManaged === knowsSlots) return;
    this.#isManaged = knowsSlots;
    if (!knowsSlots) this.#open();
  }

  detach(client: object): void {
    if (this.#manager === client) this.#manager = undefined;
  }

  /** The machine's answer. */
  answer({ granted, ahead }: { granted: boolean; ahead?: number | undefined }): void {
    this.#ahead = granted ? undefined : ahead;
    if (!granted) {
      this.#requested?.answered();
      this.#ports.onChange();
    } else if (this.#since() !== undefined) {
      this.#isGranted = true;
      this.#open();
    }
  }

  /** Whether a slot must be requested before the command is decided. */
  mustRequest(command: Command): boolean {
    if (this.isOpen || this.#manager === undefined || command.kind !== 'prompt.send') return false;
    return startsTurn(decide(this.#ports.state(), command));
  }

  /** Resolves when the machine has answered. */
  async request(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#requested = { since: this.#ports.now(), answered: resolve };
    });
    this.#ahead = undefined;
    this.#ports.onChange();
    const timeout = new AbortController();
    await Promise.race([
      answered,
      wait(ANSWER_MS, undefined, { signal: timeout.signal }).catch(() => undefined),
    ]);
    timeout.abort();
    this.#requested = undefined;
  }

  /** Without a slot, the prompt of an idle session goes into its queue, where it can be edited and canceled. */
  decided(decision: Decision): Decision {
    if (this.isOpen || !startsTurn(decision)) return decision;
    const [accepted] = decision.changes;
    if (accepted?.kind !== 'prompt.accepted') return decision;
    const hasFailed = this.#ports.state().agent.state === 'failed';
    return {
      changes: [
        { ...accepted, kind: 'prompt.queued' },
        // Restarts the agent, as a delivered prompt would.
        ...(hasFailed ? [{ kind: 'agent.changed', agent: { state: 'idle' } } as const] : []),
      ],
    };
  }

  /** A command was carried out. */
  executed(kind: Command['kind']): void {
    const starts = kind === 'prompt.send' || kind === 'prompt.resend' || kind === 'agent.restart';
    if (kind !== 'agent.stop' && !(starts && this.#isPaused)) return;
    this.#isPaused = kind === 'agent.stop';
    this.#ports.onChange();
  }

  /** A slot is for one turn. While no server runs, nobody else could use it, so the session continues with its queue. */
  changed(changes: readonly Change[]): void {
    const state = this.#ports.state();
    // A prompt that is being sent is about to start its turn.
    const isUsed = state.turn !== null || promptUnderway(state) !== undefined || isPending(state);
    const isUnused = !isUsed && this.#requested === undefined;
    const isOver = this.#manager !== undefined && changes.some(({ kind }) => kind === 'turn.ended');
    if (isOver || isUnused) this.#isGranted = false;
  }

  /** For the summary. */
  get slot(): Summary['slot'] {
    const since = this.isOpen ? undefined : this.#since();
    if (since === undefined) return undefined;
    return this.#ahead === undefined ? { since } : { since, ahead: this.#ahead };
  }

  #open(): void {
    this.#requested?.answered();
    this.#ports.onOpen();
    this.#ports.onChange();
  }

  #since(): number | undefined {
    if (this.#requested) return this.#requested.since;
    const state = this.#ports.state();
    if (this.#isPaused || state.agent.state === 'failed' || !isPending(state)) return undefined;
    const accepted = waitingPrompt(state)?.at;
    return accepted ?? Math.min(...state.queue.map(({ at }) => at));
  }
}

/** A prompt waits, and no turn runs. */
function isPending(state: Conversation): boolean {
  if (state.turn) return false;
  if (waitingPrompt(state)) return true;
  return state.queue.length > 0 && !promptUnderway(state);
}

function startsTurn(decision: Decision): decision is Extract<Decision, { refusal?: undefined }> {
  const [first] = decision.changes ?? [];
  return first?.kind === 'prompt.accepted' && !first.prompt.steer;
}
