/**
 * The server ("cast", ARCHITECTURE §2): claims the data directory and the port, then serves (`serve.ts`), in the process of
 * whoever calls it. It may be killed at any moment: what is precious is in the store, what lives is in hosts.
 */
import { join } from 'node:path';
import { checkDataDirectory, dataDirectory, makeDataDirectory } from '@tugdeck/local/data-directory';
import { openLedger, runLock } from '@tugdeck/local/ledger';
import { takeLock } from '@tugdeck/local/lock';
import { type LogLevel, openLog } from '@tugdeck/local/log';
import { ensureMachineId, type MachineChoice } from '@tugdeck/local/machine';
import { isSameProcess, ownIdentity } from '@tugdeck/local/process-identity';
import { runtimeDirectory } from '@tugdeck/local/runtime-directory';
import { withTimings } from '@tugdeck/local/timings';
import type { Configuration } from './configuration.ts';
import type { OpenedProject } from './control/answers.ts';
import { SERVER_RECORD } from './control/find-server.ts';
import { spawnHost } from './hosts/spawn-host.ts';
import type { Limits } from './limits.ts';
import { acquirePort } from './port/port.ts';
import type { Programs } from './programs.ts';
import type { Undo } from './serve.ts';
import { exposureOf } from './transport/exposure.ts';
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
  ): Promise<OpenedProject>;
  /** Hosts that an earlier server left are found, or their work taken up. */
  readonly adopted: Promise<void>;
  /** Stops listening, writes everything through, leaves hosts running (L8). */
  close(): Promise<void>;
  /** When it was closed, by whomever. */
  readonly closed: Promise<void>;
  /** It closed because its lock was taken or removed by another process. */
  isLost(): boolean;
}

const DEFAULT_LOG_LEVEL: LogLevel = 'info';

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { configuration, programs, environment } = options;
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
  const undo: Undo[] = [
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
    const logLevel = configuration.logLevel ?? DEFAULT_LOG_LEVEL;
    const log = openLog({ file: join(data.logs, 'server.log'), name: 'server', level: logLevel });
    const runtime = runtimeDirectory(data.root, environment);
    const portOptions = {
      ...{ data, runtime, ledger, timings, logLevel, log },
      program: programs.keeper,
      host: exposure.host,
      port: configuration.port,
      isSecure: exposure.tls !== undefined,
    };
    // First of all: a keeper takes as long to start as half of what follows.
    const port = acquirePort({ ...portOptions, start: spawnHost });
    undo.push(() => port.abandon());
    // Loaded only now: a keeper starts in the meantime.
    const { serve } = await import('./serve.ts');
    return await serve({
      ...{ options, data, ledger, identity, exposure, timings, logLevel, log, runtime, port, undo },
      nextPort: (start) => acquirePort({ ...portOptions, start }),
      unwind,
      isRecorded,
      lock: {
        isLost: () => isLost,
        whenLost: (stop) => {
          stopAsLost = stop;
          if (isLost) stop();
        },
      },
    });
  } catch (error) {
    await unwind();
    throw error;
  }
}
