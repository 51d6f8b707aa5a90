/**
 * One page's channel to an external session (A40): the reader serves it live, without an agent. The first command
 * adopts the session; opening it does not.
 */

import { errorLine } from '@tugdeck/protocol/wire/error-line';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { HostRequest } from '@tugdeck/protocol/wire/host-link';
import type { HostedChannel } from '../channels/session-channel.ts';
import type { PageRequest } from '../port.ts';
import type { ExternalView } from './reader-process.ts';

const NO_CHECKPOINTS = [
  'A session of another program has no checkpoints here.',
  'Send a message to continue it here; checkpoints begin with that message.',
] as const;

export interface ExternalChannelOptions {
  readonly session: string;
  readonly openView: (send: (lines: readonly string[]) => void) => ExternalView;
  /** Adopts the session; throws while another program is using it. */
  readonly adopt: () => Promise<void>;
  readonly isAdopted: () => boolean;
  /** Opens the channel of an adopted session. */
  readonly openOwn: () => HostedChannel;
  readonly send: (lines: readonly string[]) => void;
}

export class ExternalChannel implements HostedChannel {
  readonly session: string;
  readonly #options: ExternalChannelOptions;
  #view: ExternalView | undefined;
  #own: HostedChannel | undefined;
  #follows = false;
  #paused = false;
  #closed = false;
  /** Commands wait for the adoption. */
  #queue: Promise<void> = Promise.resolve();

  constructor(options: ExternalChannelOptions) {
    this.#options = options;
    this.session = options.session;
    this.#view = options.openView((lines) => {
      if (!this.#own && !this.#closed) options.send(lines);
    });
  }

  request(request: PageRequest): void {
    if (this.#own) {
      this.#own.request(request);
      return;
    }
    switch (request.type) {
      case 'follow':
        this.#follows = true;
        this.#view?.send(request satisfies HostRequest);
        return;
      case 'entries':
      case 'text':
        this.#view?.send(request);
        return;
      case 'wake':
        return;
      case 'preview':
        this.#options.send([errorLine(new CodedError('NOT_FOUND', ...NO_CHECKPOINTS), request.id)]);
        return;
      case 'query':
      case 'command':
        this.#queue = this.#queue.then(() => this.#command(request));
    }
  }

  hostChanged(fault?: Parameters<HostedChannel['hostChanged']>[0]): void {
    if (this.#own) this.#own.hostChanged(fault);
    // Another page adopted it.
    else if (this.#options.isAdopted()) this.#switchToOwn();
  }

  pause(): void {
    this.#paused = true;
    this.#own?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#own?.resume();
  }

  close(): void {
    this.#closed = true;
    this.#view?.close();
    this.#view = undefined;
    this.#own?.close();
  }

  async #command(request: Extract<PageRequest, { type: 'command' | 'query' }>): Promise<void> {
    if (this.#closed) return;
    try {
      if (!this.#own) await this.#options.adopt();
      this.#switchToOwn();
      this.#own?.request(request);
    } catch (error) {
      this.#options.send([errorLine(error, request.command.id)]);
    }
  }

  #switchToOwn(): void {
    if (this.#own || this.#closed) return;
    this.#own = this.#options.openOwn();
    if (this.#paused) this.#own.pause();
    // The host answers after it has read the file; the page keeps what it shows until then.
    if (this.#follows) this.#own.request({ type: 'wake' });
    if (this.#follows) this.#own.request({ type: 'follow' });
    this.#view?.close();
    this.#view = undefined;
  }
}
