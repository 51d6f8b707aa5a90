/**
 * Throttles rendering of a huge open block (a paragraph or quote of 60 KB): after a slow render, it pauses for four
 * times its duration and then renders the collected text at once.
 */
const SLOW_MS = 6;
const REST_FACTOR = 4;
const LONG_TAIL = 4_096;

export class DrawThrottle {
  readonly #draw: () => void;
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Whether a render may start now; otherwise schedules one for the end of the pause. */
  mayDraw(): boolean {
    const left = this.#until === 0 ? 0 : this.#until - performance.now();
    if (left <= 0) return true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#draw();
    }, left);
    return false;
  }

  /** Runs a render that returns the length of its open text, which would be parsed again. */
  after(draw: () => number): void {
    this.cancel();
    const started = performance.now();
    const left = draw();
    const took = performance.now() - started;
    this.#until = left > LONG_TAIL && took > SLOW_MS ? started + took * (1 + REST_FACTOR) : 0;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#until = 0;
  }
}
