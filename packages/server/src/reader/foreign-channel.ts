/**
 * One page's view of a session that only its agent's file has (A40): read by the reader, live, without any agent. The
 * first command takes the session over, from then on it is one of ours; focus alone does not.
 */
import type { HostRequest } from '@tugdeck/protocol/wire/host-link';
import { errorLine, type PageChannel, type PageRequest } from '../channels/channel.ts';
import type { ForeignView } from './reader-process.ts';

export interface ForeignChannelOptions {
  readonly session: string;
  readonly look: (tell: (lines: readonly string[]) => void) => ForeignView;
  /** Makes the session one of ours; refuses while another program works in it. */
  readonly takeOver: () => Promise<void>;
  readonly isTaken: () => boolean;
  /** The channel of a session of ours. */
  readonly openOwn: () => PageChannel;
  readonly tell: (lines: readonly string[]) => void;
}

export class ForeignChannel implements PageChannel {
  readonly session: string;
  readonly #options: ForeignChannelOptions;
  #view: ForeignView | undefined;
  #own: PageChannel | undefined;
  #follows = false;
  #paused = false;
  #closed = false;
  /** Commands wait for the one that takes the session over. */
  #tail: Promise<void> = Promise.resolve();

  constructor(options: ForeignChannelOptions) {
    this.#options = options;
    this.session = options.session;
    this.#view = options.look((lines) => {
      if (!this.#own && !this.#closed) options.tell(lines);
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
        this.#view?.ask(request satisfies HostRequest);
        return;
      case 'entries':
      case 'text':
        this.#view?.ask(request);
        return;
      case 'wake':
        return;
      case 'command':
        this.#tail = this.#tail.then(() => this.#command(request));
    }
  }

  hostChanged(fault?: Parameters<PageChannel['hostChanged']>[0]): void {
    if (this.#own) this.#own.hostChanged(fault);
    // Another page took it over.
    else if (this.#options.isTaken()) this.#become();
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

  async #command(request: Extract<PageRequest, { type: 'command' }>): Promise<void> {
    if (this.#closed) return;
    try {
      if (!this.#own) await this.#options.takeOver();
      this.#become();
      this.#own?.request(request);
    } catch (error) {
      this.#options.tell([errorLine(error, request.command.id)]);
    }
  }

  #become(): void {
    if (this.#own || this.#closed) return;
    this.#own = this.#options.openOwn();
    if (this.#paused) this.#own.pause();
    // It speaks after the host has read the file: until then what is shown stays.
    if (this.#follows) this.#own.request({ type: 'wake' });
    if (this.#follows) this.#own.request({ type: 'follow' });
    this.#view?.close();
    this.#view = undefined;
  }
}
