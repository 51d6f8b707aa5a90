/**
 * Single source of truth of a session: gives changes a version and a time, journals them, folds them, and then
 * publishes them (H5). Live text is folded and published at once and journaled every `checkpointMs`. One instance per
 * journal, for the lifetime of the host.
 */

import type { DatedChange, Output } from '@tugdeck/drivers/kit/port';
import type { Append, AppendField, Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { withWholeText } from '@tugdeck/protocol/conversation/settle';
import { type Conversation, entryById } from '@tugdeck/protocol/conversation/state';
import { touches } from '@tugdeck/protocol/conversation/touches';
import { trim } from '@tugdeck/protocol/conversation/window';
import { AppendBuffer } from './append-buffer.ts';

/** Entries kept in memory: two pages, so that trimming is rare. */
const KEEP_ENTRIES = 256;
const TRIM_AT = 512;

export interface Journal {
  append(changes: readonly Change[], after: Conversation): void;
  checkpoint(appends: readonly Append[]): void;
  sync(): void;
}

export interface SessionLogPorts {
  readonly journal: Journal;
  /** Reads an entry that is no longer in memory from the journal. */
  readonly find: (id: string) => Entry | undefined;
  /** Moves long texts into blobs. */
  readonly spill: (body: ChangeBody) => ChangeBody;
  readonly now: () => number;
  readonly checkpointMs: number;
  readonly liveFlushMs: number;
  readonly onChanges: (changes: readonly Change[]) => void;
  readonly onLive: (appends: readonly Append[]) => void;
  readonly onUnknownEntry: (change: ChangeBody) => void;
}

export class SessionLog {
  #state: Conversation;
  readonly #ports: SessionLogPorts;
  readonly #unsaved: AppendBuffer;
  readonly #unsent: AppendBuffer;
  /** Set when output of the agent could not be written. Later output is discarded, because it would leave a gap. */
  #fault: unknown;
  #isHeld = false;

  constructor(state: Conversation, ports: SessionLogPorts) {
    this.#state = state;
    this.#ports = ports;
    this.#unsaved = new AppendBuffer(ports.checkpointMs, (appends) => {
      // The change that closes an entry contains its full text.
      if (!this.#isHeld) ports.journal.checkpoint(appends);
    });
    this.#unsent = new AppendBuffer(ports.liveFlushMs, ports.onLive, { eager: true });
  }

  get state(): Conversation {
    return this.#state;
  }

  /** After this, only `commitDated` writes: the caller settles all open entries. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Takes a driver's outputs, in order. */
  emit(outputs: readonly Output[]): void {
    if (this.#fault !== undefined || this.#isHeld) return;
    try {
      this.#emitAll(outputs);
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  #emitAll(outputs: readonly Output[]): void {
    let run: ChangeBody[] = [];
    for (const output of outputs) {
      if (output.kind !== 'live') {
        run.push(output);
        continue;
      }
      this.commit(run);
      run = [];
      this.#append({ entry: output.entry, field: output.field, at: output.at, text: output.text });
    }
    this.commit(run);
  }

  /** Commits an atomic batch: everything is on disk before any of it is published. `at`: the time of a past event. */
  commit(bodies: readonly ChangeBody[], cause?: string, at?: number): void {
    if (bodies.length === 0 || this.#isHeld) return;
    const when = at ?? this.#ports.now();
    this.commitDated(
      bodies.map((body) => ({ at: when, body })),
      cause,
    );
  }

  /** Like `commit`, but each change has its own time. */
  commitDated(dated: readonly DatedChange[], cause?: string): void {
    const changes: Change[] = [];
    let state = this.#state;
    for (const { at, body } of dated) {
      for (const whole of this.#withRestatement(state, body)) {
        const change = {
          ...this.#ports.spill(withWholeText(state, whole)),
          v: state.v + 1,
          at,
          ...(cause === undefined ? {} : { cause }),
        };
        state = fold(state, change);
        changes.push(change);
      }
    }
    if (changes.length === 0) return;
    this.#saveText(changes);
    this.#ports.journal.append(changes, state);
    this.#state = state.nextSeq - state.from > TRIM_AT ? trim(state, KEEP_ENTRIES) : state;
    this.#unsent.flush();
    this.#ports.onChanges(changes);
  }

  /** Loads an entry back into the state so that a command can refer to it. */
  recall(id: string): void {
    const entry = entryById(this.#state, id) ? undefined : this.#ports.find(id);
    if (entry) this.commit([{ kind: 'entry.restated', entry }]);
  }

  /** Publishes and journals all collected text now. */
  flush(): void {
    this.#unsaved.flush();
    this.#unsent.flush();
  }

  sync(): void {
    this.#unsaved.flush();
    this.#ports.journal.sync();
  }

  #append(append: Append): void {
    const next = foldAppend(this.#state, append);
    if (next === this.#state) return;
    this.#state = next;
    this.#unsaved.add(append);
    this.#unsent.add(append);
  }

  /** A change to an entry of an older segment is preceded by the whole entry. */
  #withRestatement(state: Conversation, body: ChangeBody): ChangeBody[] {
    const missing = touches(body).modified.filter((id) => !entryById(state, id));
    const entries = missing.flatMap((id) => this.#ports.find(id) ?? []);
    if (entries.length < missing.length && body.kind !== 'turn.started') {
      this.#ports.onUnknownEntry(body);
      return [];
    }
    return [...entries.map((entry) => ({ kind: 'entry.restated', entry }) as const), body];
  }

  /** Journals pending text first, unless a change in this batch contains the full text. */
  #saveText(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind !== 'entry.closed' && change.kind !== 'entry.patched') continue;
      for (const field of ['text', 'inputText', 'output'] satisfies AppendField[]) {
        if (change.patch?.[field] !== undefined) this.#unsaved.drop(change.entry, field);
      }
    }
    this.#unsaved.flush();
  }
}
