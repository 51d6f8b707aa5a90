/** Publishes the summary of a session: a change of its state at once, everything else at intervals. */
import type { Summary } from '@tugdeck/protocol/conversation/summarize';

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

  publish(current: () => Summary): void {
    const summary = current();
    const last = this.#last;
    const urgent =
      !last ||
      last.turn !== summary.turn ||
      last.waiting !== summary.waiting ||
      last.agentState !== summary.agentState ||
      last.title !== summary.title ||
      last.slot?.since !== summary.slot?.since ||
      last.slot?.ahead !== summary.slot?.ahead;
    if (urgent) {
      this.stop();
      this.#last = summary;
      this.#send(summary);
    } else this.#publishIn(SUMMARY_MS, current);
  }

  /** After streamed text. */
  publishLive(current: () => Summary): void {
    this.#publishIn(LIVE_SUMMARY_MS, current);
  }

  #publishIn(ms: number, current: () => Summary): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#last = undefined;
      this.publish(current);
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
