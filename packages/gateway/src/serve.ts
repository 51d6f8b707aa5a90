/**
 * The server after it has claimed data directory and port: creates the services, and serves browsers and commands.
 * Apart from `main.ts`, because loading it takes as long as the port keeper needs to start.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Log, LogLevel } from '@tugdeck/local/log';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import { expireSignInPages } from '@tugdeck/local/sign-in-page';
import type { Timings } from '@tugdeck/local/timings';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import type { HostStarter } from '@tugdeck/machine/hosts/host-starter';
import { LIMITS } from '@tugdeck/machine/limits';
import { createServices } from '@tugdeck/machine/services';
import { emptyTrash } from '@tugdeck/machine/sessions/empty-trash';
import { openStore } from '@tugdeck/store/store';
import { answerControl, openProject } from './control/answers.ts';
import { serveControl } from './control/control-socket.ts';
import { SERVER_RECORD } from './control/find-server.ts';
import type { RunningServer, ServerOptions } from './main.ts';
import type { PendingPort } from './port/port.ts';
import type { Exposure } from './transport/exposure.ts';
import { type Pages, servePages } from './transport/pages.ts';

/** Reverts one step of the startup. */
export type Undo = () => void | Promise<void>;

export interface Claim {
  readonly options: ServerOptions;
  readonly data: DataDirectory;
  readonly ledger: Ledger;
  readonly identity: ProcessIdentity;
  readonly exposure: Exposure;
  readonly timings: Timings;
  readonly logLevel: LogLevel;
  readonly log: Log;
  /** Directory of sockets. */
  readonly runtime: string;
  readonly port: PendingPort;
  /** Acquires another port when the first was lost. */
  readonly nextPort: (start: HostStarter['start']) => PendingPort;
  readonly undo: Undo[];
  readonly unwind: () => Promise<void>;
  /** Whether the ledger names this process as the server. */
  readonly isRecorded: () => boolean;
  readonly lock: { isLost(): boolean; whenLost(stop: () => void): void };
}

const DAY_MS = 24 * 3600 * 1000;
/** A running terminal host reports its terminals within milliseconds. */
const TERMINALS_MS = 500;

export async function serve(claim: Claim): Promise<RunningServer> {
  const { options, data, ledger, identity, exposure, timings, logLevel, log, runtime } = claim;
  const { port, nextPort, undo, unwind, isRecorded, lock } = claim;
  const { configuration, programs, environment, now = Date.now } = options;
  const limits = { ...LIMITS, ...options.limits };
  const store = openStore(data.database);
  undo.push(() => store.close());
  const signInPages = expireSignInPages(data.run, timings.tokenMs);
  undo.push(() => signInPages.close());
  const shared = { data, store, programs, timings, log, now };
  const services = createServices({ ...shared, runtime, ledger, configuration, environment, logLevel });
  undo.push(() => {
    services.deck.close();
    services.git.close();
    services.keys.close();
    services.review.close();
    services.settings.configuration.close();
    services.stats.sampler.close();
    services.stats.builds.close();
    const closing = [
      services.finalSummaries.close(),
      services.pool.close(),
      services.files.close(),
      services.reader.close(),
      services.terminals.close(),
    ];
    return Promise.all(closing)
      .then(() => services.starter.close())
      .then(() => services.deferred.close());
  });
  services.settings.configuration.watch();
  const emptyOldTrash = () =>
    void emptyTrash(store.sessions, data, { now: now(), trashMs: timings.trashMs }).catch((error: unknown) =>
      log.warn('trash', { error }),
    );
  emptyOldTrash();
  const trashTimer = setInterval(emptyOldTrash, DAY_MS);
  trashTimer.unref();
  undo.push(() => clearInterval(trashTimer));
  // Before the first page connects, so that it sees running hosts.
  const adoptedHosts = services.pool
    .adopt()
    .then(() => services.finalSummaries.catchUp())
    .catch((error: unknown) => log.error('adoption', { error }));
  const adoptedTerminals = services.terminals
    .adopt()
    .catch((error: unknown) => log.error('adoption', { error }));
  const adopted = Promise.all([adoptedHosts, adoptedTerminals]).then(() => undefined);
  // A session that is open in a terminal must not get a host, but an unresponsive terminal host must not block
  // startup.
  await Promise.race([adoptedTerminals, wait(TERMINALS_MS, undefined, { ref: false })]);
  const pages: Pages = await servePages({
    ...shared,
    services,
    exposure,
    port,
    nextPort: () => nextPort(services.starter.start),
    moved: () => options.moved?.(pages.issueUrl()),
    limits,
  });
  undo.push(() => pages.close());

  const finished = defer();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= unwind().then(finished.resolve);
    return closing;
  };
  const about = { pid: process.pid, build: programs.build, dataDirectory: data.root, startedAt: now() };
  const socket = join(runtime, 'server.sock');
  const control = { services, pages, about, stop: () => void close() };
  const local = await serveControl(
    socket,
    (request) => {
      if (request.type === 'add') signInPages.issued();
      return answerControl(control, request);
    },
    log,
  );
  undo.push(() => (lock.isLost() && !isRecorded() ? local.detach() : local.close()));
  ledger.write({ id: SERVER_RECORD, purpose: 'server', identity, socket });
  undo.push(() => {
    if (!lock.isLost()) ledger.remove(SERVER_RECORD);
  });
  undo.push(() => log.info('stopping'));
  // Not earlier: it would compete with the keeper while the user waits for the address.
  services.reader.start();
  log.info('listening', { origin: pages.origin, build: programs.build });
  lock.whenLost(() => {
    log.error('stopping: another process took or removed the server lock');
    void close();
  });

  return {
    get origin() {
      return pages.origin;
    },
    get port() {
      return pages.port;
    },
    reach: { isLoopback: exposure.isLoopback, isPlain: exposure.tls === undefined },
    add(directory, from, { trust } = {}) {
      signInPages.issued();
      return openProject(services, pages, directory, cleanEnvironment(from), trust);
    },
    adopted,
    close,
    closed: finished.promise,
    isLost: lock.isLost,
  };
}

function defer(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
