/** Composition root of the gateway: the deck, everything a browser can reach, and the control socket. */
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { openAudit } from '@tugdeck/link/audit';
import { Closing } from '@tugdeck/local/closing';
import type { Log } from '@tugdeck/local/log';
import { expireSignInPages } from '@tugdeck/local/sign-in-page';
import type { Environment } from '@tugdeck/machine/port';
import type { Store } from '@tugdeck/store/store';
import { answerControl, type OpenedProject, type OpenHow, openProject } from './control/answers.ts';
import { serveControl } from './control/control-socket.ts';
import { Deck } from './deck/deck.ts';
import { Machines } from './machines/machines.ts';
import { type PagesOptions, servePages } from './transport/pages.ts';

export interface GatewayOptions extends Omit<PagesOptions, 'deck' | 'signIns' | 'settings' | 'machines'> {
  readonly store: Pick<Store, 'drafts' | 'layouts' | 'settings' | 'signIns'>;
  /** Directory of sockets. */
  readonly runtime: string;
  /** For the programs that carry links to other machines: ssh needs its agent's socket. */
  readonly carrierEnvironment: NodeJS.ProcessEnv;
  /** For projects that the deck of another machine opens here; cleaned. */
  readonly environment: Environment;
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
  openProject(directory: string, environment: Environment, how?: OpenHow): Promise<OpenedProject>;
  close(): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { machine, store, data, programs, timings, log, now, runtime, stop, isReplaced } = options;
  const closing = new Closing();
  try {
    const signInPages = closing.add(expireSignInPages(data.run, timings.tokenMs));
    const machines = closing.add(
      new Machines({
        ...{ machine, data, environment: options.carrierEnvironment, log, now },
        audit: lazyAudit(data),
        serve: (stream) => void serveDeck(stream, options),
      }),
    );
    const deck = closing.add(new Deck({ machine: machines, store, data, log, now }));
    const pages = closing.add(
      await servePages({ ...options, machines, deck, signIns: store.signIns, settings: store.settings }),
    );
    // No machine delays the start (N15).
    closing.addStep(machine.configured((configuration) => machines.configure(configuration)));
    const about = { pid: process.pid, build: programs.build, dataDirectory: data.root, startedAt: now() };
    const control = { machine, machines, pages, about, stop };
    const socket = join(runtime, 'server.sock');
    const local = await serveControl(
      socket,
      {
        answer(request) {
          if (request.type === 'add') signInPages.issued();
          return answerControl(control, request);
        },
        link: (client) => void serveDeck(client, options),
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
      openProject(directory, environment, how) {
        signInPages.issued();
        return openProject(control, directory, environment, how);
      },
      close: () => closing.close(),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** The log of links. Opened with its first line: most servers never have a link. */
function lazyAudit(data: GatewayOptions['data']): Pick<Log, 'info'> {
  let log: Log | undefined;
  return {
    info(message, fields) {
      log ??= openAudit(data);
      log.info(message, fields);
    },
  };
}

/** Serves this machine to the deck of another one. Loaded on demand: most servers never have a link. */
async function serveDeck(
  client: Duplex,
  { machine, programs, environment, log, data }: GatewayOptions,
): Promise<void> {
  const audit = lazyAudit(data);
  try {
    const { serveLink } = await import('@tugdeck/link/serve-link');
    log.info('link opened');
    audit.info('deck connected');
    await serveLink(client, client, { machine, build: programs.build, environment, log });
    log.info('link closed');
    audit.info('deck gone');
  } catch (error) {
    log.error('link', { error });
    client.destroy();
  }
}
