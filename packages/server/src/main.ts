/**
 * The server ("cast", ARCHITECTURE §2): puts its rooms together and runs in the process of whoever calls it.
 * It may be killed at any moment: what is precious is in the store, what lives is in hosts.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { takeLock } from '@tugdeck/journal/lock';
import { dataDirectory, makeDataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { type LogLevel, openLog } from '@tugdeck/local/log';
import { identify } from '@tugdeck/local/process-identity';
import { runtimeDirectory } from '@tugdeck/local/runtime-directory';
import { withTimings } from '@tugdeck/local/timings';
import type { Configuration } from './configuration.ts';
import { answerControl, type HandedOver, handOver } from './control/answers.ts';
import { SERVER_RECORD } from './control/control-client.ts';
import { serveControl } from './control/control-socket.ts';
import { LIMITS, type Limits } from './limits.ts';
import type { Programs } from './programs.ts';
import { cleanEnvironment, openRooms } from './rooms.ts';
import { emptyTrash } from './sessions/empty-trash.ts';
import { openStore } from './store/store.ts';
import { exposureOf } from './transport/exposure.ts';
import { servePages } from './transport/pages.ts';
import { hasPassword } from './transport/password.ts';

export interface ServerOptions {
  readonly dataRoot: string;
  readonly programs: Programs;
  /** `config.json` with the command line's options in it. */
  readonly configuration: Configuration;
  /** That of the process, as it is; agents get it cleaned. */
  readonly environment: NodeJS.ProcessEnv;
  readonly limits?: Partial<Limits> | undefined;
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
}

const DAY_MS = 24 * 3600 * 1000;
/** A terminal host that runs tells what it has within milliseconds. */
const TERMINALS_MS = 500;
const DEFAULT_LOG_LEVEL: LogLevel = 'info';

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { configuration, programs, environment, now = Date.now } = options;
  const data = dataDirectory(options.dataRoot);
  const exposure = exposureOf(configuration, hasPassword(data.password));
  makeDataDirectory(data.root);
  const lock = takeLock(join(data.root, 'run', 'server.lock'));
  const undo: (() => void | Promise<void>)[] = [() => lock.release()];
  const unwind = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const timings = withTimings(configuration.timings);
    const limits = { ...LIMITS, ...options.limits };
    const logLevel = configuration.logLevel ?? DEFAULT_LOG_LEVEL;
    const log = openLog({ file: join(data.logs, 'server.log'), name: 'server', level: logLevel });
    const store = openStore(data.database);
    undo.push(() => store.close());
    const ledger = openLedger(data.ledger);
    const runtime = runtimeDirectory(data.root, environment);
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
    const pages = await servePages({ ...shared, rooms, exposure, port: configuration.port, limits });
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
    const local = await serveControl(socket, (request) => answerControl(control, request), log);
    undo.push(() => local.close());
    ledger.write({ id: SERVER_RECORD, purpose: 'server', identity: self(), socket });
    undo.push(() => ledger.remove(SERVER_RECORD));
    undo.push(() => log.info('stopping'));
    log.info('listening', { origin: pages.origin, build: programs.build });

    return {
      origin: pages.origin,
      port: pages.port,
      reach: { isLoopback: exposure.isLoopback, isPlain: exposure.tls === undefined },
      add: (directory, from, { trust } = {}) =>
        handOver(rooms, pages, directory, cleanEnvironment(from), trust),
      adopted,
      close,
      closed: finished.promise,
    };
  } catch (error) {
    await unwind();
    throw error;
  }
}

function self() {
  const identity = identify(process.pid);
  if (!identity) throw new Error('this process cannot be identified');
  return identity;
}

function defer(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
