/** Scans a rollout for lists and search (A40, S5): times, the first prompt and texts, line by line. */
import { textAt } from '../kit/fields.ts';
import type { IndexedText, LineScan, ListInfo } from '../kit/history.ts';
import {
  isOutput,
  outputOf,
  parseLine,
  promptOf,
  type RolloutLine,
  toolCallOf,
  wordsOf,
} from './history-lines.ts';

const PROMPT = 500;

export function scanLines(memory?: unknown): LineScan {
  return new Scan((memory as ListInfo | undefined) ?? {});
}

class Scan implements LineScan {
  #info: ListInfo;

  constructor(facts: ListInfo) {
    this.#info = facts;
  }

  get facts(): ListInfo {
    return this.#info;
  }

  get memory(): ListInfo {
    return this.#info;
  }

  take(text: string): readonly IndexedText[] {
    const line = parseLine(text);
    if (!line) return [];
    const { type, payload, at } = line;
    if (type === 'session_meta') {
      const directory = textAt(payload, 'cwd');
      const hidden = typeof payload.source === 'object' && payload.source !== null;
      this.#update({ ...(directory === undefined ? {} : { directory }), ...(hidden ? { hidden } : {}) });
    }
    if (type === 'event_msg' && payload.type === 'thread_name_updated') {
      const title = textAt(payload, 'thread_name');
      if (title) this.#update({ title });
    }
    if (at !== undefined) {
      this.#update({
        createdAt: this.#info.createdAt ?? at,
        ...(type === 'response_item' ? { activeAt: at } : {}),
      });
    }
    return type === 'response_item' ? this.#texts(line) : [];
  }

  #texts(line: RolloutLine): readonly IndexedText[] {
    const { id: entry, at, payload } = line;
    const prompt = promptOf(line);
    if (prompt !== undefined) {
      if (this.#info.prompt === undefined) this.#update({ prompt: prompt.slice(0, PROMPT) });
      return [{ entry, kind: 'prompt', at, text: prompt }];
    }
    if (payload.type === 'message' && payload.role === 'assistant') {
      return [{ entry, kind: 'answer', at, text: wordsOf(payload.content) }];
    }
    const call = toolCallOf(line);
    if (call) {
      const input =
        call.command ?? (typeof call.input === 'string' ? call.input : JSON.stringify(call.input));
      return [{ entry, kind: 'tool', at, text: `${call.name}\n${input ?? ''}` }];
    }
    return isOutput(line) ? [{ entry, kind: 'tool', at, text: outputOf(payload).text }] : [];
  }

  #update(facts: ListInfo): void {
    this.#info = { ...this.#info, ...facts };
  }
}
