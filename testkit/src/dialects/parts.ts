// Shared by the dialects: finds the prompt in any history, fills a schema without a script, and writes a stream of
// server-sent events that starts late, respects backpressure and ends when the client disconnects.
import { once } from 'node:events';
import { Ended, type Outcome, type Reply } from '../answer-parts.ts';
import type { Prompt } from '../messages-request.ts';
import type { MessageAnswer } from '../script.ts';

/** One item of a history; consecutive items of `model` are one answer. */
export interface Turn {
  readonly role: 'user' | 'model' | 'result' | 'other';
  readonly text: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

export function parseFields(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The texts of a list of blocks, or the text itself. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}

// Messages that agents add in the user's name: context, instructions, notes about an interruption.
const injected = /^(<|# AGENTS|# Context|\[Request interrupted|System: )/;

export function findTurn(turns: readonly Turn[]): Prompt {
  let step = 0;
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (turn?.role === 'model' && turns[index - 1]?.role !== 'model') step += 1;
    if (turn?.role !== 'user') continue;
    const userText = turn.text.trim();
    const keyword = [...userText.matchAll(/SCN:([\w-]+)/g)].at(-1)?.[1];
    if (keyword === undefined && (userText === '' || injected.test(userText))) continue;
    return { keyword, userText, step, index };
  }
  return { keyword: undefined, userText: '', step, index: -1 };
}

/**
 * Creates a value that matches the schema: agents also request JSON outside of the conversation and fail on anything
 * else.
 */
export function fillSchema(schema: unknown): unknown {
  const { type, properties, minimum, enum: choices } = fieldsOf(schema);
  const kind = String(Array.isArray(type) ? type[0] : type).toLowerCase();
  if (Array.isArray(choices)) return choices[0];
  if (kind === 'number' || kind === 'integer') return typeof minimum === 'number' ? minimum : 1;
  if (kind === 'boolean') return false;
  if (kind === 'array') return [];
  if (kind !== 'object' && properties === undefined) return 'Scripted';
  return Object.fromEntries(
    Object.entries(fieldsOf(properties)).map(([key, value]) => [key, fillSchema(value)]),
  );
}

export class EventStream {
  readonly #reply: Reply;
  readonly #opening: () => string;
  readonly #headers: Readonly<Record<string, string>>;
  #started = false;

  /** `opening` is sent with the first event, so that a hold as the first part comes before any byte. */
  constructor(reply: Reply, { headers = {} }: MessageAnswer, opening: () => string = () => '') {
    this.#reply = reply;
    this.#headers = headers;
    this.#opening = opening;
  }

  async send(event: string): Promise<void> {
    const { response, signal } = this.#reply;
    const more = response.write(this.#head() + event);
    if (!more && !signal.aborted) {
      // Aborting rejects the wait; the check below reports it.
      await once(response, 'drain', { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
    if (signal.aborted) throw new Ended('closed-by-client');
  }

  end(event: string): void {
    this.#reply.response.end(this.#head() + event);
  }

  #head(): string {
    if (this.#started) return '';
    this.#started = true;
    this.#reply.response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      ...this.#headers,
    });
    return this.#opening();
  }
}

/** The outcome of an answer that may have ended early. */
export async function outcomeOf(writing: Promise<void>): Promise<Outcome> {
  try {
    await writing;
    return 'complete';
  } catch (error) {
    if (error instanceof Ended) return error.outcome;
    throw error;
  }
}
