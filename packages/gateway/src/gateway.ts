/** Composition root of the gateway: the deck, everything a browser can reach, and the control socket. */
import { join } from 'node:path';
import { Closing } from '@tugdeck/local/closing';
import { expireSignInPages } from '@tugdeck/local/sign-in-page';
import type { Environment } from '@tugdeck/machine/port';
import type { Store } from '@tugdeck/store/store';
import { answerControl, type OpenedProject, openProject } from './control/answers.ts';
import { serveControl } from './control/control-socket.ts';
import { Deck } from './deck/deck.ts';
import { type PagesOptions, servePages } from './transport/pages.ts';

export interface GatewayOptions extends Omit<PagesOptions, 'deck' | 'signIns'> {
  readonly store: Pick<Store, 'drafts' | 'layouts' | 'settings' | 'signIns'>;
  /** Directory of sockets. */
  readonly runtime: string;
  /** Stops the server, for `tugdeck stop`. */
  readonly stop: () => void;
  /** Whether the control socket's file belongs to another server by now. */
  readonly isReplaced: () => boolean;
}

export interface Gateway {
  readonly origin: string;
  readonly port: number;
  /** The control socket. */
  readonly socket: string;
  /** Adds a project like `tugdeck [--trust] DIR`. The environment must already be cleaned. */
  openProject(directory: string, environment: Environment, trust?: boolean): Promise<OpenedProject>;
  close(): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { machine, store, data, programs, timings, log, now, runtime, stop, isReplaced } = options;
  const closing = new Closing();
  try {
    const signInPages = closing.add(expireSignInPages(data.run, timings.tokenMs));
    const deck = closing.add(new Deck({ machine, store, data, log, now }));
    const pages = closing.add(await servePages({ ...options, deck, signIns: store.signIns }));
    const about = { pid: process.pid, build: programs.build, dataDirectory: data.root, startedAt: now() };
    const control = { machine, pages, about, stop };
    const socket = join(runtime, 'server.sock');
    const local = await serveControl(
      socket,
      (request) => {
        if (request.type === 'add') signInPages.issued();
        return answerControl(control, request);
      },
      log,
    );
    closing.addStep(() => (isReplaced() ? local.detach() : local.close()));
    return {
      get origin() {
        return pages.origin;
      },
      get port() {
        return pages.port;
      },
      socket,
      openProject(directory, environment, trust) {
        signInPages.issued();
        return openProject(control, directory, environment, trust);
      },
      close: () => closing.close(),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
