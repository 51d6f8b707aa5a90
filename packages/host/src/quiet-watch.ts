/**
 * Notices when a running turn says nothing for too long (H7): not while a tool runs, a request is open, or the
 * agent waits or sums up. Tells, and does nothing about it.
 */
import { type Conversation, openEntries, turnState } from '@tugdeck/protocol/conversation/state';

export interface QuietPorts {
  readonly quietMs: number;
  readonly now: () => number;
  readonly state: () => Conversation;
  /** Since when nothing is heard; without a time: it speaks again. */
  readonly report: (since: number | undefined) => void;
}

export class QuietWatch {
  readonly #ports: QuietPorts;
  #activeAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: QuietPorts) {
    this.#ports = ports;
  }

  /** The agent said something, or was given something to do. Cheap: it is told of every line. */
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
