/**
 * Subagents with their own sessions: each is one `tool` entry of kind `agent` that contains its session's entries.
 * Its prompt is the tool's input, its reply the result. After the turn, running subagents are shown as background
 * work.
 */
import type { ToolState } from '@tugdeck/protocol/conversation/entries';
import type { Scope } from '../kit/scope.ts';
import type { UpdateOf } from './wire.ts';

interface Subagent {
  readonly entry: string;
  prompt: string;
  reply: string;
  over: boolean;
}

export class Subagents {
  readonly #scope: Scope;
  readonly #opening: () => void;
  readonly #subagents = new Map<string, Subagent>();

  constructor(scope: Scope, opening: () => void) {
    this.#scope = scope;
    this.#opening = opening;
  }

  entryOf(session: string): string | undefined {
    return this.#subagents.get(session)?.entry;
  }

  get sessions(): readonly string[] {
    return [...this.#subagents.keys()];
  }

  update({ sessionId, title, description, state }: UpdateOf<'subagent_update'>): void {
    const subagent = this.#subagents.get(sessionId) ?? this.#open(sessionId, title ?? description ?? '');
    if (state?.state === 'idle' && !subagent.over) this.#ended(subagent, state.stopReason ?? 'end_turn');
  }

  /** A message to the subagent; the first one is its prompt. */
  prompted(session: string, text: string): void {
    const subagent = this.#subagents.get(session) ?? this.#open(session, '');
    if (text === '' || subagent.prompt !== '') return;
    subagent.prompt = text;
    this.#scope.out.put({
      kind: 'entry.patched',
      entry: subagent.entry,
      patch: { input: { prompt: text }, fields: [{ label: 'Prompt', value: text, form: 'text' }] },
    });
  }

  replied(session: string, text: string): void {
    const subagent = this.#subagents.get(session);
    if (!subagent || text === '') return;
    subagent.reply = text;
    this.#scope.out.put({
      kind: 'entry.patched',
      entry: subagent.entry,
      patch: { result: { type: 'agent', text } },
    });
  }

  settle(cancelled: boolean): void {
    for (const subagent of this.#subagents.values()) {
      if (subagent.over) continue;
      if (cancelled) this.#close(subagent, 'cancelled', 'interrupted');
      else
        this.#scope.out.put({
          kind: 'entry.patched',
          entry: subagent.entry,
          patch: { state: 'background' },
        });
    }
  }

  #open(session: string, title: string): Subagent {
    this.#opening();
    const entry = this.#scope.out.id('agent');
    this.#scope.open({
      id: entry,
      kind: 'tool',
      status: 'partial',
      name: 'agent',
      title: title || 'Subagent',
      toolKind: 'agent',
      state: 'running',
    });
    const subagent = { entry, prompt: '', reply: '', over: false };
    this.#subagents.set(session, subagent);
    return subagent;
  }

  #ended(subagent: Subagent, stopReason: string): void {
    if (stopReason === 'error') this.#close(subagent, 'failed', 'failed');
    else if (stopReason === 'cancelled') this.#close(subagent, 'cancelled', 'interrupted');
    else this.#close(subagent, 'complete', 'done');
  }

  #close(subagent: Subagent, status: 'complete' | 'cancelled' | 'failed', state: ToolState): void {
    subagent.over = true;
    this.#scope.out.put({ kind: 'entry.closed', entry: subagent.entry, status, patch: { state } });
  }
}
