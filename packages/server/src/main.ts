/**
 * The server ("cast", ARCHITECTURE §2): puts its rooms together and runs in the process of whoever calls it.
 * It may be killed at any moment: what is precious is in the store, what lives is in hosts.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { checkDataDirectory, dataDirectory, makeDataDirectory } from '@tugdeck/local/data-directory';
import { openLedger, runLock } from '@tugdeck/local/ledger';
import { takeLock } from '@tugdeck/local/lock';
import { type LogLevel, openLog } from '@tugdeck/local/log';
import { ensureMachineId, type MachineChoice } from '@tugdeck/local/machine';
import { isSameProcess, ownIdentity } from '@tugdeck/local/process-identity';
import { runtimeDirectory } from '@tugdeck/local/runtime-directory';
import { expireSignInPages } from '@tugdeck/local/sign-in-page';
import { withTimings } from '@tugdeck/local/timings';
import type { Configuration } from './configuration.ts';
import { answerControl, type HandedOver, handOver } from './control/answers.ts';
import { SERVER_RECORD } from './control/control-client.ts';
import { serveControl } from './control/control-socket.ts';
import { spawnHost } from './hosts/spawn-host.ts';
import { LIMITS, type Limits } from './limits.ts';
import { comingPort } from './port/port.ts';
import type { Programs } from './programs.ts';
import { cleanEnvironment, openRooms } from './rooms.ts';
import { emptyTrash } from './sessions/empty-trash.ts';
import { openStore } from './store/store.ts';
import { exposureOf } from './transport/exposure.ts';
import { type Pages, servePages } from './transport/pages.ts';
import { hasPassword } from './transport/password.ts';

export interface ServerOptions {
  readonly dataRoot: string;
  readonly programs: Programs;
  /** `config.json` with the command line's options in it. */
  readonly configuration: Configuration;
  /** That of the process, as it is; agents get it cleaned. */
  readonly environment: NodeJS.ProcessEnv;
  /** What to do where the data directory is another machine's (N3); without it the start is refused. */
  readonly machine?: MachineChoice | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The port was lost; what was printed is of no use any more. */
  readonly moved?: ((url: string) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RunningServer {
  readonly origin: string;
  readonly port: number;
  /** Others can reach it; `isPlain` where what goes to and fro can be read on its way. */
  readonly reach: { readonly isLoopback: boolean; readonly isPlain: boolean };
  /** Adds a project as `tugdeck DIR` does, or with `trust` as `tugdeck --trust DIR`; the address is for one sign-in and shows it. */
  add(
    directory: string,
    environment: NodeJS.ProcessEnv,
    options?: { readonly trust?: boolean },
  ): Promise<HandedOver>;
  /** Hosts that an earlier server left are found, or their work taken up. */
  readonly adopted: Promise<void>;
  /** Stops listening, writes everything through, leaves hosts running (L8). */
  close(): Promise<void>;
  /** When it was closed, by whomever. */
  readonly closed: Promise<void>;
  /** It closed because its lock was taken or removed by another process. */
  isLost(): boolean;
}

const DAY_MS = 24 * 3600 * 1000;
/** A terminal host that runs tells what it has within milliseconds. */
const TERMINALS_MS = 500;
const DEFAULT_LOG_LEVEL: LogLevel = 'info';

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { configuration, programs, environment, now = Date.now } = options;
  const data = dataDirectory(options.dataRoot);
  checkDataDirectory(data.root);
  const exposure = exposureOf(configuration, hasPassword(data.password));
  makeDataDirectory(data.root);
  const timings = withTimings(configuration.timings);
  const ledger = openLedger(data.ledger, timings);
  const identity = ownIdentity();
  const isRecorded = () => {
    const record = ledger.get(SERVER_RECORD);
    return record !== undefined && isSameProcess(record.identity, identity);
  };
  let isLost = false;
  let stopAsLost: () => void = () => undefined;
  const lock = takeLock(runLock(data.root, SERVER_RECORD), {
    timings,
    lost: () => {
      isLost = true;
      stopAsLost();
    },
  });
  const undo: (() => void | Promise<void>)[] = [
    () => {
      // What `stop` waits for where it had to take the lock away.
      if (isLost && isRecorded()) ledger.remove(SERVER_RECORD);
      lock.release();
    },
  ];
  const unwind = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    ensureMachineId(data, options.machine);
    const limits = { ...LIMITS, ...options.limits };
    const logLevel = configuration.logLevel ?? DEFAULT_LOG_LEVEL;
    const log = openLog({ file: join(data.logs, 'server.log'), name: 'server', level: logLevel });
    const runtime = runtimeDirectory(data.root, environment);
    const portWish = {
      ...{ data, runtime, ledger, timings, logLevel, log },
      program: programs.keeper,
      host: exposure.host,
      port: configuration.port,
      isSecure: exposure.tls !== undefined,
    };
    // First of all: a keeper takes as long to start as everything below.
    const port = comingPort({ ...portWish, start: spawnHost });
    undo.push(() => port.abandon());
    const store = openStore(data.database);
    undo.push(() => store.close());
    const signInPages = expireSignInPages(data.run, timings.tokenMs);
    undo.push(() => signInPages.close());
    const shared = { data, store, programs, timings, log, now };
    const rooms = openRooms({ ...shared, runtime, ledger, configuration, environment, logLevel });
    undo.push(() => {
      rooms.deck.close();
      rooms.git.close();
      rooms.keys.close();
      rooms.review.close();
      rooms.settings.configuration.close();
      rooms.stats.sampler.close();
      rooms.stats.builds.close();
      const closing = [
        rooms.lastWords.close(),
        rooms.pool.close(),
        rooms.files.close(),
        rooms.reader.close(),
        rooms.terminals.close(),
      ];
      return Promise.all(closing)
        .then(() => rooms.starter.close())
        .then(() => rooms.late.close());
    });
    rooms.settings.configuration.watch();
    const empty = () =>
      void emptyTrash(store.sessions, data, { now: now(), trashMs: timings.trashMs }).catch(
        (error: unknown) => log.warn('trash', { error }),
      );
    empty();
    const emptying = setInterval(empty, DAY_MS);
    emptying.unref();
    undo.push(() => clearInterval(emptying));
    rooms.reader.start();
    // Before the first page can come in: what runs must be known to whoever asks for it.
    const adoptedHosts = rooms.pool
      .adopt()
      .then(() => rooms.lastWords.catchUp())
      .catch((error: unknown) => log.error('adoption', { error }));
    const adoptedTerminals = rooms.terminals
      .adopt()
      .catch((error: unknown) => log.error('adoption', { error }));
    const adopted = Promise.all([adoptedHosts, adoptedTerminals]).then(() => undefined);
    // A session that is open in a terminal must get no host; but a terminal host that does not answer holds nobody up.
    await Promise.race([adoptedTerminals, wait(TERMINALS_MS, undefined, { ref: false })]);
    const pages: Pages = await servePages({
      ...shared,
      rooms,
      exposure,
      port,
      nextPort: () => comingPort({ ...portWish, start: rooms.starter.start }),
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
    const control = { rooms, pages, about, stop: () => void close() };
    const local = await serveControl(
      socket,
      (request) => {
        if (request.type === 'add') signInPages.issued();
        return answerControl(control, request);
      },
      log,
    );
    undo.push(() => (isLost && !isRecorded() ? local.leave() : local.close()));
    ledger.write({ id: SERVER_RECORD, purpose: 'server', identity, socket });
    undo.push(() => {
      if (!isLost) ledger.remove(SERVER_RECORD);
    });
    undo.push(() => log.info('stopping'));
    stopAsLost = () => {
      log.error('stopping: the lock of the server was taken or removed by another process');
      void close();
    };
    log.info('listening', { origin: pages.origin, build: programs.build });
    if (isLost) stopAsLost();

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
        return handOver(rooms, pages, directory, cleanEnvironment(from), trust);
      },
      adopted,
      close,
      closed: finished.promise,
      isLost: () => isLost,
    };
  } catch (error) {
    await unwind();
    throw error;
  }
}

function defer(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
