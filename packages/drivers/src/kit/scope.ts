/** One agent session in the translator, main or subagent: adds its turn and parent to entries. */
import type { NewEntry, Notice } from '@tugdeck/protocol/conversation/entries';
import type { Emitter } from './emitter.ts';

export interface ScopeOptions {
  readonly out: Emitter;
  /** The tool entry of the subagent. */
  readonly parent?: string | undefined;
  /** The running turn. Set explicitly, because a recording may have several sessions at once. */
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
