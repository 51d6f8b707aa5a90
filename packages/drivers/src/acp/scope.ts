/**
 * Where the parts of the translator put what they make. An emitter gives ids that are unique in the session
 * though a resumed journal is continued by a new translator; a scope is one agent session in it, the main one
 * or a subagent's. No clock, no randomness: the mark comes from outside.
 */
import type { NewEntry, Notice } from '@tugdeck/protocol/conversation/entries';
import type { Output } from '../kit/port.ts';

export class Emitter {
  readonly #mark: string;
  #count = 0;
  #outputs: Output[] = [];

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Same recording and mark, same ids. */
  id(what: string): string {
    return `${what}-${this.#mark}-${this.#count++}`;
  }

  put(...outputs: readonly Output[]): void {
    this.#outputs.push(...outputs);
  }

  drift(what: string): void {
    this.put({ kind: 'drift.counted', what: what.slice(0, 200) });
  }

  take(): Output[] {
    const outputs = this.#outputs;
    this.#outputs = [];
    return outputs;
  }
}

export interface ScopeOptions {
  readonly out: Emitter;
  /** The tool entry of the subagent whose session this is. */
  readonly parent?: string | undefined;
  /** The turn that runs, if one does. Stated, because a recording may hold several sessions at once. */
  readonly turn: () => string | undefined;
}

export class Scope {
  readonly out: Emitter;
  readonly parent: string | undefined;
  readonly #turn: () => string | undefined;

  constructor({ out, parent, turn }: ScopeOptions) {
    this.out = out;
    this.parent = parent;
    this.#turn = turn;
  }

  get turn(): string | undefined {
    return this.#turn();
  }

  open(entry: NewEntry): void {
    const turn = this.#turn();
    this.out.put({
      kind: 'entry.opened',
      entry: {
        ...entry,
        ...(turn === undefined ? {} : { turn }),
        ...(this.parent === undefined ? {} : { parent: this.parent }),
      },
    });
  }

  notice(notice: Notice, level: 'info' | 'warning' | 'error', text: string, detail?: string): void {
    this.open({
      id: this.out.id('notice'),
      kind: 'notice',
      status: 'complete',
      notice,
      level,
      text,
      ...(detail ? { detail } : {}),
    });
  }
}
