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
  readonly say: (since: number | undefined) => void;
}

export class QuietWatch {
  readonly #ports: QuietPorts;
  #heardAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: QuietPorts) {
    this.#ports = ports;
  }

  /** The agent said something, or was given something to do. Cheap: it is told of every line. */
  heard(): void {
    this.#heardAt = this.#ports.now();
    if (this.#ports.state().turn?.quietSince !== undefined) this.#ports.say(undefined);
    this.#timer ??= this.#look(this.#ports.quietMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(afterMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined;
      const { quietMs, now, state, say } = this.#ports;
      if (!state().turn) return;
      const leftMs = this.#heardAt + quietMs - now();
      if (leftMs > 0) this.#timer = this.#look(leftMs);
      else if (isExcused(state())) this.#timer = this.#look(quietMs);
      else if (state().turn?.quietSince === undefined) say(this.#heardAt);
    }, afterMs);
  }
}

function isExcused(state: Conversation): boolean {
  if (turnState(state) !== 'running') return true;
  return openEntries(state).some((entry) => entry.kind === 'tool' && entry.state === 'running');
}
