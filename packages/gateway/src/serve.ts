/**
 * The server after it has claimed data directory and port: this machine and the gateway in one process. Apart from
 * `main.ts`, because loading it takes as long as the port keeper needs to start.
 */
import type { Closing } from '@tugdeck/local/closing';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Log, LogLevel } from '@tugdeck/local/log';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import type { StartProgram } from '@tugdeck/local/spawn-host';
import type { Timings } from '@tugdeck/local/timings';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import { createMachine } from '@tugdeck/machine/machine';
import { openStore } from '@tugdeck/store/store';
import { SERVER_RECORD } from './control/find-server.ts';
import { startGateway } from './gateway.ts';
import { LIMITS } from './limits.ts';
import type { PendingPort } from './port/port.ts';
import type { RunningServer, ServerOptions } from './running-server.ts';
import type { Exposure } from './transport/exposure.ts';

export interface Claim {
  readonly options: ServerOptions;
  /** The id of this machine. */
  readonly machine: string;
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
  readonly nextPort: (start: StartProgram) => PendingPort;
  readonly closing: Closing;
  /** Whether the ledger names this process as the server. */
  readonly isRecorded: () => boolean;
  readonly lock: { isLost(): boolean; whenLost(stop: () => void): void };
}

export async function serve(claim: Claim): Promise<RunningServer> {
  const { options, data, ledger, identity, exposure, timings, log, runtime, lock, closing } = claim;
  const { configuration, programs, environment, now = Date.now } = options;
  const closed = defer();
  let closes: Promise<void> | undefined;
  const close = () => {
    closes ??= closing.close().then(closed.resolve);
    return closes;
  };
  const store = closing.add(openStore(data.database));
  const shared = { data, store, programs, runtime, timings, log, now };
  const machine = closing.add(
    createMachine({
      ...{ ...shared, ledger, configuration, environment },
      id: claim.machine,
      logLevel: claim.logLevel,
    }),
  );
  const { adopted } = await machine.start();
  const gateway = closing.add(
    await startGateway({
      ...{ ...shared, machine, exposure },
      environment: cleanEnvironment(environment),
      carrierEnvironment: environment,
      port: claim.port,
      nextPort: () => claim.nextPort(machine.startProgram),
      moved: (url) => options.moved?.(url),
      limits: { ...LIMITS, ...options.limits },
      stop: () => void close(),
      isReplaced: () => lock.isLost() && !claim.isRecorded(),
    }),
  );
  ledger.write({ id: SERVER_RECORD, purpose: 'server', identity, socket: gateway.socket });
  closing.addStep(() => {
    log.info('stopping');
    if (!lock.isLost()) ledger.remove(SERVER_RECORD);
  });
  machine.startReader();
  log.info('listening', { origin: gateway.origin, build: programs.build });
  lock.whenLost(() => {
    log.error('stopping: another process took or removed the server lock');
    void close();
  });

  return {
    get origin() {
      return gateway.origin;
    },
    get port() {
      return gateway.port;
    },
    reach: {
      isLoopback: exposure.isLoopback,
      isPlain: exposure.tls === undefined,
      proxied: exposure.proxied?.origin,
    },
    add: (directory, from, how) => gateway.openProject(directory, cleanEnvironment(from), how),
    adopted,
    close,
    closed: closed.promise,
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
