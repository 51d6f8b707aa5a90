/** Publishes the summary of a session: a change of its state at once, everything else at intervals. */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { type Summary, summarize } from '@tugdeck/protocol/conversation/summarize';

/** Minimum interval between summaries of a busy session. */
const SUMMARY_MS = 250;
/** The same for streamed text, of which lists show the last line. */
const LIVE_SUMMARY_MS = 500;

export class SummaryPublisher {
  readonly #send: (summary: Summary) => void;
  #last: Summary | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (summary: Summary) => void) {
    this.#send = send;
  }

  publish(state: () => Conversation): void {
    const summary = summarize(state());
    const last = this.#last;
    const urgent =
      !last ||
      last.turn !== summary.turn ||
      last.waiting !== summary.waiting ||
      last.agentState !== summary.agentState ||
      last.title !== summary.title;
    if (urgent) {
      this.stop();
      this.#last = summary;
      this.#send(summary);
    } else this.#publishIn(SUMMARY_MS, state);
  }

  /** After streamed text. */
  publishLive(state: () => Conversation): void {
    this.#publishIn(LIVE_SUMMARY_MS, state);
  }

  #publishIn(ms: number, state: () => Conversation): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#last = undefined;
      this.publish(state);
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
