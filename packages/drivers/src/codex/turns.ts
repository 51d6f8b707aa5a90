/**
 * The turns of one thread and their prompts. A prompt is delivered when the thread reports it as an item. A turn can
 * have several ids: the response, `turn/started` and `turn/completed` may differ (a review).
 */
import type { TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';

interface PromptRecord {
  readonly id: string;
  /** Id of the call that carries it. */
  readonly key: string;
  readonly text: string;
  readonly isSteer: boolean;
  /** The thread reported it as an item. */
  seen: boolean;
  /** Its delivery was reported. */
  reported: boolean;
  /** The agent's id while it is in the agent's queue. */
  queued?: string;
}

interface Running {
  readonly id: string;
  /** The agent's ids of it, newest last. */
  readonly names: string[];
  /** The agent reported its start; before that it cannot be stopped. */
  isStarted: boolean;
  readonly prompts: PromptRecord[];
}

const TOO_LATE = 'The turn ended before the agent took it in.';

type Phase = 'running' | 'compacting' | 'retrying';

export class Turns {
  readonly #out: Emitter;
  /** Prompts in the agent's own queue, which get their own turn. */
  readonly #queued: PromptRecord[] = [];
  #turn: Running | undefined;
  #over: string | undefined;
  #phase: Phase = 'running';
  cancelling = false;

  constructor(out: Emitter) {
    this.#out = out;
  }

  get current(): string | undefined {
    return this.#turn?.id;
  }

  /** The id for an interrupt or a steer. */
  get name(): string | undefined {
    return this.#turn?.names.at(-1);
  }

  get isStarted(): boolean {
    return this.#turn?.isStarted === true;
  }

  /** Before it is written: joins the running turn or starts one. */
  send(id: string, key: string, text: string, isSteer: boolean): void {
    const prompt: PromptRecord = { id, key, text, isSteer, seen: false, reported: false };
    if (this.#turn) {
      this.#turn.prompts.push(prompt);
      this.#out.put({ kind: 'turn.joined', turn: this.#turn.id, prompt: id });
    } else if (isSteer) {
      this.#queued.push(prompt);
    } else {
      this.#start('user', [prompt]);
    }
  }

  /** Into the agent's own queue. */
  queue(id: string, key: string, text: string): void {
    this.#queued.push({ id, key, text, isSteer: false, seen: false, reported: false });
  }

  /** The agent queued it. */
  queuedAs(key: string, name: string | undefined): void {
    const prompt = this.#queued.find((one) => one.key === key);
    if (!prompt) return;
    if (name !== undefined) prompt.queued = name;
    this.#report(prompt, 'delivered');
  }

  /** Removed from the agent's queue. */
  unqueued(name: string | undefined): void {
    const at = this.#queued.findIndex(({ queued }) => name !== undefined && queued === name);
    const [prompt] = at < 0 ? [] : this.#queued.splice(at, 1);
    if (prompt) this.#out.put({ kind: 'prompt.progressed', prompt: prompt.id, delivery: 'dropped' });
  }

  /** A turn that starts without a prompt, named by the response: a review. */
  begin(name: string): void {
    if (!this.#turn) this.#start('agent', []);
    this.#name(name);
  }

  answered(key: string, name: string | undefined, failure: string | undefined): void {
    if (failure !== undefined) this.#failed(key, failure);
    else if (name !== undefined && this.#turn?.prompts.some((prompt) => prompt.key === key)) this.#name(name);
  }

  /** A slash command that is complete with its response. */
  done(key: string): void {
    const { prompts = [], names = [] } = this.#turn ?? {};
    if (names.length === 0 && prompts.length === 1 && prompts[0]?.key === key) this.ended('completed');
  }

  /** It will be sent again by another call. */
  forget(key: string): void {
    for (const list of [this.#queued, this.#turn?.prompts ?? []]) {
      const at = list.findIndex((prompt) => prompt.key === key);
      if (at >= 0) list.splice(at, 1);
    }
  }

  /** The call that started a turn without a prompt failed. */
  refused(): void {
    if (this.#turn && this.#turn.prompts.length === 0 && this.#turn.names.length === 0) this.ended('error');
  }

  started(name: string): void {
    if (!this.#turn) this.#start('agent', []);
    this.#name(name);
    if (this.#turn) this.#turn.isStarted = true;
  }

  /** A user message appeared in the thread: whether it is ours, by id, otherwise by text. */
  arrive(clientId: string | undefined, text: string): boolean {
    const all = [...(this.#turn?.prompts ?? []), ...this.#queued];
    const open = all.filter(({ seen }) => !seen);
    const prompt =
      open.find(({ id }) => id === clientId) ??
      open.find((one) => one.text.trim() === text.trim()) ??
      // A prompt with an image has a different text.
      (open.length === 1 && clientId === undefined && this.#turn?.prompts.includes(open[0] as PromptRecord)
        ? open[0]
        : undefined);
    // Each message is sent twice: as started and as completed.
    if (!prompt) return all.some(({ id, seen }) => seen && id === clientId);
    const waiting = this.#queued.indexOf(prompt);
    if (waiting >= 0) {
      this.#queued.splice(waiting, 1);
      if (this.#turn) {
        this.#turn.prompts.push(prompt);
        this.#out.put({ kind: 'turn.joined', turn: this.#turn.id, prompt: prompt.id });
      }
    }
    prompt.seen = true;
    this.#report(prompt, 'delivered');
    return true;
  }

  phase(phase: Phase, note?: string): void {
    if (!this.#turn || (phase === this.#phase && note === undefined)) return;
    this.#phase = phase;
    this.#out.put({ kind: 'turn.changed', phase, ...(note === undefined ? {} : { note }) });
  }

  /** Whether the end of this turn ends the running one; an earlier end may be repeated. */
  ends(name: string | undefined): boolean {
    return this.#turn !== undefined && (name === undefined || name !== this.#over);
  }

  ended(endedBy: TurnEnd, why?: string): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    this.#over = turn.names[0];
    this.#phase = 'running';
    this.cancelling = false;
    for (const prompt of turn.prompts) {
      // The turn ended before it accepted the steered prompt: the agent dropped it.
      if (prompt.isSteer && !prompt.seen) this.#report(prompt, 'failed', TOO_LATE);
      else this.#report(prompt, 'delivered');
    }
    this.#out.put({ kind: 'turn.ended', turn: turn.id, endedBy, ...(why === undefined ? {} : { why }) });
  }

  #start(origin: 'user' | 'agent', prompts: PromptRecord[]): void {
    this.#turn = { id: this.#out.id('turn'), names: [], isStarted: false, prompts };
    this.#out.put({
      kind: 'turn.started',
      turn: this.#turn.id,
      origin,
      prompts: prompts.map(({ id }) => id),
    });
  }

  #name(name: string): void {
    if (this.#turn && !this.#turn.names.includes(name)) this.#turn.names.push(name);
  }

  #report(prompt: PromptRecord, delivery: 'delivered' | 'failed' | 'dropped', why?: string): void {
    if (prompt.reported) return;
    prompt.reported = true;
    const reason = why === undefined ? {} : { why };
    this.#out.put({ kind: 'prompt.progressed', prompt: prompt.id, delivery, ...reason });
  }

  #failed(key: string, why: string): void {
    const turn = this.#turn;
    const queued = this.#queued.findIndex((prompt) => prompt.key === key);
    const prompt =
      queued >= 0 ? this.#queued.splice(queued, 1)[0] : turn?.prompts.find((one) => one.key === key);
    if (!prompt || prompt.reported) return;
    this.#report(prompt, 'failed', why);
    // The turn existed only for this prompt.
    if (turn && turn.names.length === 0 && turn.prompts.every(({ reported }) => reported))
      this.ended('error', why);
  }
}
