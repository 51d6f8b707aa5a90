/** All open channels of pages: opens them and informs them of changes of their session's host. */
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { CodedError } from '@tugdeck/protocol/wire/errors';
import { type PageChannel, refusedChannel } from '../port.ts';
import type { Adoption } from '../reader/adoption.ts';
import { ExternalChannel } from '../reader/external-channel.ts';
import type { ExternalSessions } from '../reader/external-sessions.ts';
import { listedView } from '../reader/listed-view.ts';
import type { ReaderProcess } from '../reader/reader-process.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type ChannelHosts, type HostedChannel, SessionChannel } from './session-channel.ts';

export interface ChannelsOptions {
  readonly data: DataDirectory;
  readonly sessions: Sessions;
  readonly external: ExternalSessions;
  readonly adoption: Adoption;
  readonly reader: ReaderProcess;
  readonly hosts: ChannelHosts;
  readonly connectMs: number;
  readonly log: Log;
}

type Send = (messages: readonly string[]) => void;

export class Channels {
  readonly #options: ChannelsOptions;
  readonly #open = new Set<HostedChannel>();

  constructor(options: ChannelsOptions) {
    this.#options = options;
  }

  open(session: string, send: Send): PageChannel {
    let channel: HostedChannel;
    try {
      channel = this.#options.adoption.isUnadopted(session)
        ? this.#openExternal(session, send)
        : this.#openOwn(session, send);
    } catch (error) {
      return refusedChannel(error);
    }
    this.#open.add(channel);
    return {
      opened: Promise.resolve(),
      request: (request) => channel.request(request),
      pause: () => channel.pause(),
      resume: () => channel.resume(),
      close: () => {
        this.#open.delete(channel);
        channel.close();
      },
    };
  }

  /** Whether a page shows the session. */
  isOpen(session: string): boolean {
    return [...this.#open].some((channel) => channel.session === session);
  }

  /** The session's host started or ended. */
  hostChanged(session: string, fault?: CodedError): void {
    for (const channel of this.#open) if (channel.session === session) channel.hostChanged(fault);
  }

  #openExternal(session: string, send: Send): HostedChannel {
    const { adoption, external, reader } = this.#options;
    return new ExternalChannel({
      session,
      openView: (sendView) =>
        external.hasFile(session) ? reader.openView(session, sendView) : listedView(session, sendView),
      adopt: () => adoption.adoptForWriting(session),
      isAdopted: () => !adoption.isUnadopted(session),
      openOwn: () => this.#openOwn(session, send),
      send,
    });
  }

  #openOwn(session: string, send: Send): HostedChannel {
    const { data, sessions, hosts, connectMs, log } = this.#options;
    sessions.row(session);
    return new SessionChannel({ session, directory: data.session(session), hosts, connectMs, log, send });
  }
}
