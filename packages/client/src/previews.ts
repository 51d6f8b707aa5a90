/** Previews of restores that the host has not answered. Owns their promises; sent again after a reconnect. */
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import type { HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import type { ClientError } from './client-error.ts';

type PreviewRequest = Extract<HostRequestInput, { type: 'preview' }>;

interface Pending {
  readonly request: PreviewRequest;
  readonly resolve: (preview: RestorePreview) => void;
  readonly reject: (error: ClientError) => void;
}

export class Previews {
  readonly #pending = new Map<string, Pending>();
  readonly #send: (request: PreviewRequest) => void;

  constructor(send: (request: PreviewRequest) => void) {
    this.#send = send;
  }

  request(request: PreviewRequest): Promise<RestorePreview> {
    const answer = new Promise<RestorePreview>((resolve, reject) =>
      this.#pending.set(request.id, { request, resolve, reject }),
    );
    this.#send(request);
    return answer;
  }

  resend(): void {
    for (const { request } of this.#pending.values()) this.#send(request);
  }

  settle(id: string, preview: RestorePreview): void {
    this.#pending.get(id)?.resolve(preview);
    this.#pending.delete(id);
  }

  /** Whether a preview has this id. */
  fail(id: string, error: ClientError): boolean {
    this.#pending.get(id)?.reject(error);
    return this.#pending.delete(id);
  }

  failAll(error: ClientError): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, error);
  }
}
