/**
 * Reports when a running turn is silent for too long (H7), unless a tool runs, a request is open, or the agent is
 * retrying or compacting.
 */
import { type Conversation, openEntries, turnState } from '@tugdeck/protocol/conversation/state';

export interface QuietPorts {
  readonly quietMs: number;
  readonly now: () => number;
  readonly state: () => Conversation;
  /** The time of the last activity; undefined when the agent is active again. */
  readonly report: (since: number | undefined) => void;
}

export class QuietWatch {
  readonly #ports: QuietPorts;
  #activeAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: QuietPorts) {
    this.#ports = ports;
  }

  /** The agent sent something or received a prompt. Called for every line, so it must be cheap. */
  activity(): void {
    this.#activeAt = this.#ports.now();
    if (this.#ports.state().turn?.quietSince !== undefined) this.#ports.report(undefined);
    this.#timer ??= this.#check(this.#ports.quietMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #check(afterMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined;
      const { quietMs, now, state, report } = this.#ports;
      if (!state().turn) return;
      const leftMs = this.#activeAt + quietMs - now();
      if (leftMs > 0) this.#timer = this.#check(leftMs);
      else if (isSilenceExpected(state())) this.#timer = this.#check(quietMs);
      else if (state().turn?.quietSince === undefined) report(this.#activeAt);
    }, afterMs);
  }
}

function isSilenceExpected(state: Conversation): boolean {
  if (turnState(state) !== 'running') return true;
  return openEntries(state).some((entry) => entry.kind === 'tool' && entry.state === 'running');
}
