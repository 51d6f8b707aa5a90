/**
 * Turns and their prompts. The response to a prompt ends its turn. Other clients may send a second prompt during a
 * turn (seen in a recording): it gets its own turn after the first.
 */
import type { TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';

interface PromptRecord {
  readonly id: string;
  /** Id of the request that carried it. */
  readonly key: string;
  readonly text: string;
  delivered: boolean;
  echoed: boolean;
}

export class Turns {
  readonly #out: Emitter;
  readonly #waiting: PromptRecord[] = [];
  #turn: { readonly id: string; readonly prompt: PromptRecord } | undefined;
  #phase: 'running' | 'compacting' = 'running';
  cancelling = false;

  constructor(out: Emitter) {
    this.#out = out;
  }

  get current(): string | undefined {
    return this.#turn?.id;
  }

  /** Before it is written. */
  send(id: string, key: string, text: string): void {
    this.#waiting.push({ id, key, text, delivered: false, echoed: false });
    if (!this.#turn) this.#start();
  }

  /** A steered prompt. */
  steer(id: string): void {
    if (this.#turn) this.#out.put({ kind: 'turn.joined', turn: this.#turn.id, prompt: id });
  }

  steered(id: string, failure: string | undefined): void {
    this.#out.put(
      failure === undefined
        ? { kind: 'prompt.progressed', prompt: id, delivery: 'delivered' }
        : { kind: 'prompt.progressed', prompt: id, delivery: 'failed', why: failure },
    );
  }

  /** Any activity proves that the agent has the prompt. */
  onActivity(): void {
    if (!this.#turn && this.#waiting.length > 0) this.#start();
    if (this.#turn) this.#delivered(this.#turn.prompt);
  }

  /** Whether this text only echoes our own prompt. */
  isEcho(text: string): boolean {
    const prompt = this.#turn?.prompt;
    if (!prompt || prompt.echoed || prompt.text.trim() !== text.trim()) return false;
    prompt.echoed = true;
    return true;
  }

  phase(phase: 'running' | 'compacting', note?: string): void {
    if (!this.#turn || phase === this.#phase) return;
    this.#phase = phase;
    this.#out.put({ kind: 'turn.changed', phase, ...(note === undefined ? {} : { note }) });
  }

  /** Whether this response ends the running turn; a response to a waiting prompt does not. */
  ends(key: string): boolean {
    const waiting = this.#waiting.findIndex((prompt) => prompt.key === key);
    if (waiting >= 0 && this.#turn) {
      // Canceled together with the turn before it: it never had its own.
      const [prompt] = this.#waiting.splice(waiting, 1);
      if (prompt) {
        this.#out.put({ kind: 'turn.joined', turn: this.#turn.id, prompt: prompt.id });
        this.#delivered(prompt);
      }
      return false;
    }
    if (waiting > 0) this.#waiting.unshift(...this.#waiting.splice(waiting, 1));
    if (waiting >= 0) this.#start();
    if (this.#turn?.prompt.key !== key) return false;
    this.#delivered(this.#turn.prompt);
    return true;
  }

  ended(endedBy: TurnEnd, why?: string): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    this.#phase = 'running';
    this.cancelling = false;
    this.#out.put({ kind: 'turn.ended', turn: turn.id, endedBy, ...(why === undefined ? {} : { why }) });
  }

  #start(): void {
    const prompt = this.#waiting.shift();
    if (!prompt) return;
    this.#turn = { id: this.#out.id('turn'), prompt };
    this.#out.put({ kind: 'turn.started', turn: this.#turn.id, origin: 'user', prompts: [prompt.id] });
  }

  #delivered(prompt: PromptRecord): void {
    if (prompt.delivered) return;
    prompt.delivered = true;
    this.#out.put({ kind: 'prompt.progressed', prompt: prompt.id, delivery: 'delivered' });
  }
}
