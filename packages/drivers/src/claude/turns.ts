/**
 * Turns and their prompts. A prompt is not one result: prompts sent during a turn may join it or be merged into a
 * later one, and the agent starts turns itself. Matched by uuids, never by counting.
 */
import type { Denial, TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { RecentIds } from './recent-ids.ts';

/** States of prompts that the agent will not process. */
const GONE: ReadonlySet<string> = new Set(['cancelled', 'discarded', 'refused']);

interface PromptRecord {
  readonly id: string;
  readonly text: string;
  delivered: boolean;
  /** The agent started it before a turn began. */
  begun: boolean;
}

export interface TurnEndDetails {
  readonly why?: string | undefined;
  readonly own?: boolean;
  readonly denied?: readonly Denial[];
}

export class Turns {
  readonly #out: Emitter;
  /** Sent prompts whose turn has not ended. */
  readonly #prompts = new Map<string, PromptRecord>();
  #turn: { readonly id: string; readonly prompts: Set<string>; begun: boolean } | undefined;
  #waiting = false;
  readonly #answered = new RecentIds();

  constructor(out: Emitter) {
    this.#out = out;
  }

  get running(): boolean {
    return this.#turn !== undefined;
  }

  /** Before a prompt is written. */
  send(id: string, text: string): void {
    // The agent ignores repeated prompts, so no turn will start.
    if (this.#answered.has(id)) {
      this.#out.put({ kind: 'prompt.progressed', prompt: id, delivery: 'delivered' });
      return;
    }
    this.#prompts.set(id, { id, text, delivered: false, begun: false });
    if (!this.#turn) this.#start('user', [id]);
  }

  /** `system/init`: the agent starts a turn, for our prompt or by itself. */
  began(uuids: readonly string[]): void {
    this.delivered(uuids);
    if (this.#turn) {
      this.#turn.begun = true;
      return;
    }
    const named = uuids.filter((id) => this.#prompts.has(id));
    const begun = [...this.#prompts.values()].filter((prompt) => prompt.begun).map(({ id }) => id);
    const unnamed = [...this.#prompts.keys()].slice(0, 1);
    const prompts = [named, begun, unnamed].find((list) => list.length > 0) ?? [];
    this.#start(prompts.length > 0 ? 'user' : 'agent', prompts, true);
  }

  lifecycle(id: string, state: string): void {
    const prompt = this.#prompts.get(id);
    if (!prompt) return;
    if (GONE.has(state)) {
      if (this.#turn?.prompts.has(id)) return;
      this.#prompts.delete(id);
      this.#out.put({ kind: 'prompt.progressed', prompt: id, delivery: 'dropped' });
      return;
    }
    this.delivered([id]);
    if (state === 'completed' && !prompt.begun && this.#turn?.prompts.has(id) && !this.#turn.begun) {
      // Sent again after a crash: the agent already had it and ignores it.
      this.#out.notice('info', 'info', 'The agent had this message already and does not answer it again.');
      this.ended('completed', []);
      return;
    }
    if (state !== 'started') return;
    prompt.begun = true;
    this.#join(id);
  }

  /** First sign that the agent has them. */
  delivered(uuids: readonly string[]): void {
    for (const id of uuids) {
      const prompt = this.#prompts.get(id);
      if (!prompt || prompt.delivered) continue;
      prompt.delivered = true;
      this.#out.put({ kind: 'prompt.progressed', prompt: id, delivery: 'delivered' });
    }
  }

  /** The prompts of this turn never reached the model; false if it has none. */
  refused(why: string): boolean {
    const prompts = [...(this.#turn?.prompts ?? [])].flatMap((id) => this.#prompts.get(id) ?? []);
    for (const prompt of prompts) {
      prompt.delivered = true;
      this.#out.put({ kind: 'prompt.progressed', prompt: prompt.id, delivery: 'failed', why });
    }
    return prompts.length > 0;
  }

  /** The agent echoes a prompt; one without a uuid comes back with the agent's own. */
  acknowledged(uuid: string | undefined, text: string): void {
    if (uuid !== undefined && this.#prompts.has(uuid)) {
      this.delivered([uuid]);
      return;
    }
    const same = [...this.#prompts.values()].find((prompt) => !prompt.delivered && prompt.text === text);
    if (!same) return;
    this.delivered([same.id]);
    this.#join(same.id);
  }

  /** Ends with the next sign of work. */
  phase(phase: 'compacting' | 'retrying', note: string, waitMs?: number): void {
    this.#waiting = true;
    this.#out.put({ kind: 'turn.changed', phase, note, ...(waitMs === undefined ? {} : { waitMs }) });
  }

  working(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#out.put({ kind: 'turn.changed', phase: 'running' });
  }

  /** `own`: the agent started this turn itself, maybe just when we sent a prompt. */
  ended(
    endedBy: TurnEnd,
    uuids: readonly string[],
    { why, own = false, denied = [] }: TurnEndDetails = {},
  ): void {
    // The start line may be missing: a waiting prompt is what ended.
    if (!this.#turn && !own && this.#prompts.size > 0) this.began(uuids);
    const turn = this.#turn;
    if (!turn) return;
    for (const id of uuids) this.#join(id);
    // A result that names prompts only answers those; one just sent still gets its own turn.
    const named = own || uuids.some((id) => turn.prompts.has(id));
    const answered = [...turn.prompts].filter(
      (id) => !named || uuids.includes(id) || this.#prompts.get(id)?.begun,
    );
    this.delivered(answered);
    for (const id of answered) {
      this.#prompts.delete(id);
      this.#answered.add(id);
    }
    this.#turn = undefined;
    this.#waiting = false;
    this.#out.put({
      kind: 'turn.ended',
      turn: turn.id,
      endedBy,
      ...(why === undefined ? {} : { why }),
      ...(denied.length === 0 ? {} : { denied: [...denied] }),
    });
  }

  #start(origin: 'user' | 'agent', prompts: readonly string[], begun = false): void {
    this.#turn = { id: this.#out.id('turn'), prompts: new Set(prompts), begun };
    this.#out.put({ kind: 'turn.started', turn: this.#turn.id, origin, prompts: [...prompts] });
  }

  #join(id: string): void {
    if (!this.#turn || this.#turn.prompts.has(id) || !this.#prompts.has(id)) return;
    this.#turn.prompts.add(id);
    this.#out.put({ kind: 'turn.joined', turn: this.#turn.id, prompt: id });
  }
}
