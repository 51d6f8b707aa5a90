/**
 * Shared by a translator's modules: collects outputs and creates ids that are unique in the session, even if a new
 * translator continues its journal. No clock, no randomness: the mark comes from outside.
 */
import { MAX_SAMPLE } from '@tugdeck/protocol/conversation/changes';
import type { NewEntry, Notice } from '@tugdeck/protocol/conversation/entries';
import type { Output } from './port.ts';

export class Emitter {
  readonly #mark: string;
  #count = 0;
  #outputs: Output[] = [];

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Deterministic for a recording and mark. */
  id(what: string): string {
    return `${what}-${this.#mark}-${this.#count++}`;
  }

  put(...outputs: readonly Output[]): void {
    this.#outputs.push(...outputs);
  }

  open(entry: NewEntry): void {
    this.put({ kind: 'entry.opened', entry });
  }

  notice(notice: Notice, level: 'info' | 'warning' | 'error', text: string, more: NoticeMore = {}): void {
    this.open({
      id: more.id === undefined ? this.id('notice') : `notice-${more.id}`,
      kind: 'notice',
      status: 'complete',
      notice,
      level,
      text,
      ...(more.detail ? { detail: more.detail } : {}),
      ...(more.parent === undefined ? {} : { parent: more.parent }),
    });
  }

  /** `message`: the unrecognized message, whose beginning is kept. */
  drift(what: string, message?: unknown): void {
    const text = typeof message === 'string' ? message : jsonText(message);
    this.put({
      kind: 'drift.counted',
      what: what.slice(0, 200),
      ...(text === '' ? {} : { sample: text.slice(0, MAX_SAMPLE) }),
    });
  }

  take(): Output[] {
    const outputs = this.#outputs;
    this.#outputs = [];
    return outputs;
  }
}

/** Empty for a value that is nested too deeply, for example in a session file of the agent. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

export interface NoticeMore {
  /** The uuid of the source line. */
  readonly id?: string | undefined;
  readonly detail?: string | undefined;
  readonly parent?: string | undefined;
}
