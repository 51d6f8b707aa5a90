/** Holds a prompt back until the project's files are recorded, or until the time limit (T3). */
import type { TreeRecorder } from './tree-recorder.ts';

export class PromptHold {
  readonly #trees: Pick<TreeRecorder, 'ready' | 'late'> | undefined;
  readonly #waitMs: number;
  readonly #release: () => void;
  #waiting: string | undefined;
  /** The last prompt that may be sent. */
  #released: string | undefined;

  /** `release` is called when the prompt may be sent. */
  constructor(trees: TreeRecorder | undefined, waitMs: number, release: () => void) {
    this.#trees = trees;
    this.#waitMs = waitMs;
    this.#release = release;
  }

  isHeld(prompt: string): boolean {
    if (this.#released === prompt) return false;
    const ready = this.#trees?.ready();
    if (!ready) return false;
    if (this.#waiting === prompt) return true;
    this.#waiting = prompt;
    const end = (isTimeout: boolean) => {
      if (this.#waiting !== prompt) return;
      clearTimeout(timer);
      this.#waiting = undefined;
      this.#released = prompt;
      if (isTimeout) this.#trees?.late();
      this.#release();
    };
    const timer = setTimeout(() => end(true), this.#waitMs);
    void ready.then(() => end(false));
    return true;
  }
}
