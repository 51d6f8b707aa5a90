/**
 * The demo agent's memory: the messages of each session, in a file per session. Real agents store their sessions too, and
 * without it a fork could not know what came before a message.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fieldsOf } from './connection.ts';

export interface Message {
  /** The client's id of the message. */
  readonly id: string;
  readonly prompt: string;
  answer: string;
}

const NAME = /^[\w-]{1,100}$/;
const MAX_SESSIONS = 100;
const MAX_MESSAGES = 200;
const MAX_TEXT = 20_000;

export class Memory {
  readonly #folder: string | undefined;

  /** Without a folder, sessions are remembered only by their process. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  read(session: string): Message[] {
    const file = this.#file(session);
    if (file === undefined) return [];
    try {
      const list: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return Array.isArray(list) ? list.map(messageOf) : [];
    } catch {
      return []; // A session that is new, or from before the agent remembered anything.
    }
  }

  write(session: string, messages: readonly Message[]): void {
    const file = this.#file(session);
    if (this.#folder === undefined || file === undefined) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const kept = messages.slice(-MAX_MESSAGES).map(({ id, prompt, answer }) => ({
        id,
        prompt: prompt.slice(0, MAX_TEXT),
        answer: answer.slice(0, MAX_TEXT),
      }));
      const temporary = `${file}.${process.pid}`;
      writeFileSync(temporary, JSON.stringify(kept), { mode: 0o600 });
      renameSync(temporary, file);
      this.#forget(this.#folder);
    } catch {
      // A full or read-only disk: the demo works without a memory.
    }
  }

  #file(session: string): string | undefined {
    return this.#folder !== undefined && NAME.test(session)
      ? join(this.#folder, `${session}.json`)
      : undefined;
  }

  /** Deletes the oldest sessions. */
  #forget(folder: string): void {
    const names = readdirSync(folder);
    if (names.length <= MAX_SESSIONS) return;
    const ages = names.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
    ages.sort((a, b) => b.at - a.at);
    for (const { name } of ages.slice(MAX_SESSIONS)) unlinkSync(join(folder, name));
  }
}

function messageOf(value: unknown): Message {
  const { id, prompt, answer } = fieldsOf(value);
  return { id: String(id), prompt: String(prompt), answer: String(answer) };
}
