/**
 * The commands of one session that the host has not confirmed (M4). Owns their promises and order; sends nothing. A
 * command stays until its receipt has arrived *and* the state has reached the receipt's version, so that
 * predictions do not flicker.
 */
import type { Command } from '@tugdeck/protocol/conversation/commands';
import type { Receipt } from '@tugdeck/protocol/wire/host-link';
import { type ClientError, refusalError } from './client-error.ts';

export interface PendingCommand {
  readonly command: Command;
  /** When the user issued it, by the page's clock; predictions use this time. */
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

  /** In order: all commands to predict. */
  get pending(): readonly PendingCommand[] {
    return this.#items;
  }

  /** Unacknowledged commands; the same array while nothing changed. */
  get waiting(): readonly Command[] {
    return this.#waiting;
  }

  /** Adding the same command twice has no effect. */
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

  /** Removes acknowledged commands that are included in state `v`. */
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
