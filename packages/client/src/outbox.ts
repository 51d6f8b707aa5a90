/**
 * The commands of one session that the host has not confirmed yet (M4). Owns their promises and the order
 * they were given in; sends nothing itself. A command stays here until its receipt came *and* the state
 * has reached the receipt's version, so that a prediction never blinks.
 */
import type { Command } from '@tugdeck/protocol/conversation/commands';
import type { Receipt } from '@tugdeck/protocol/wire/host-link';
import { type ClientError, refusalError } from './client-error.ts';

export interface PendingCommand {
  readonly command: Command;
  /** When it was given, by the page's clock: the time of what is predicted from it. */
  readonly at: number;
}

interface Item extends PendingCommand {
  readonly answer: Promise<Receipt>;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: ClientError) => void;
  receipt?: Receipt;
}

export class Outbox {
  #items: readonly Item[] = [];
  #waiting: readonly Command[] = [];

  /** In the order given: everything that is to be predicted. */
  get pending(): readonly PendingCommand[] {
    return this.#items;
  }

  /** Not acknowledged yet; the same array while nothing changed. */
  get waiting(): readonly Command[] {
    return this.#waiting;
  }

  /** The same command given twice is one command. */
  add(command: Command, at: number): Promise<Receipt> {
    const known = this.#items.find((item) => item.command.id === command.id);
    if (known) return known.answer;
    const { promise: answer, resolve, reject } = deferred<Receipt>();
    this.#set([...this.#items, { command, at, answer, resolve, reject }]);
    return answer;
  }

  settle(receipt: Receipt): void {
    const item = this.#items.find(({ command }) => command.id === receipt.command);
    if (!item || item.receipt) return;
    if (receipt.refusal !== undefined) {
      this.fail(receipt.command, refusalError(receipt.refusal, receipt.message));
      return;
    }
    item.receipt = receipt;
    this.#set(this.#items);
    item.resolve(receipt);
  }

  fail(command: string, error: ClientError): void {
    const item = this.#items.find((candidate) => candidate.command.id === command);
    if (!item) return;
    this.#set(this.#items.filter((candidate) => candidate !== item));
    item.reject(error);
  }

  failAll(error: ClientError): void {
    for (const { command } of this.#items) this.fail(command.id, error);
  }

  /** Forgets what is acknowledged and in effect at `v`. */
  confirmUpTo(v: number): void {
    const left = this.#items.filter(({ receipt }) => !receipt || receipt.v > v);
    if (left.length < this.#items.length) this.#set(left);
  }

  #set(items: readonly Item[]): void {
    this.#items = items;
    const waiting = items.filter(({ receipt }) => !receipt).map(({ command }) => command);
    const same =
      waiting.length === this.#waiting.length && waiting.every((one, at) => one === this.#waiting[at]);
    if (!same) this.#waiting = waiting;
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: ClientError) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: ClientError) => void = () => undefined;
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
