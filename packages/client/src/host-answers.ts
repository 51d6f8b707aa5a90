/** Requests to the host that change nothing and are not answered yet. Owns their promises; sent again after a reconnect. */
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import type { ClientError } from './client-error.ts';

type AnsweredRequest = Extract<HostRequestInput, { type: 'preview' | 'query' }>;
type AnswerType = 'preview' | 'answer';
export type HostAnswer<T extends AnswerType> = Extract<HostMessage, { type: T }>;

interface Pending {
  readonly request: AnsweredRequest;
  readonly resolve: (answer: HostAnswer<AnswerType>) => void;
  readonly reject: (error: ClientError) => void;
}

export class HostAnswers {
  readonly #pending = new Map<string, Pending>();
  readonly #send: (request: AnsweredRequest) => void;

  constructor(send: (request: AnsweredRequest) => void) {
    this.#send = send;
  }

  request<T extends AnswerType>(id: string, request: AnsweredRequest): Promise<HostAnswer<T>> {
    const answer = new Promise<HostAnswer<AnswerType>>((resolve, reject) =>
      this.#pending.set(id, { request, resolve, reject }),
    );
    this.#send(request);
    return answer as Promise<HostAnswer<T>>;
  }

  resend(): void {
    for (const { request } of this.#pending.values()) this.#send(request);
  }

  settle(answer: HostAnswer<AnswerType>): void {
    this.#pending.get(answer.id)?.resolve(answer);
    this.#pending.delete(answer.id);
  }

  /** Whether a request has this id. */
  fail(id: string, error: ClientError): boolean {
    this.#pending.get(id)?.reject(error);
    return this.#pending.delete(id);
  }

  failAll(error: ClientError): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, error);
  }
}
