/**
 * The server process: claims the data directory and the port, then serves (`serve.ts`), inside the calling process.
 * It may be killed at any time: durable state is in the store, running agents are in hosts.
 */
import { join } from 'node:path';
import { Closing } from '@tugdeck/local/closing';
import { checkDataDirectory, dataDirectory, makeDataDirectory } from '@tugdeck/local/data-directory';
import { openLedger, runLock } from '@tugdeck/local/ledger';
import { takeLock } from '@tugdeck/local/lock';
import { type LogLevel, openLog } from '@tugdeck/local/log';
import { ensureMachineId } from '@tugdeck/local/machine';
import { isSameProcess, ownIdentity } from '@tugdeck/local/process-identity';
import { runtimeDirectory } from '@tugdeck/local/runtime-directory';
import { spawnHost } from '@tugdeck/local/spawn-host';
import { withTimings } from '@tugdeck/local/timings';
import { SERVER_RECORD } from './control/find-server.ts';
import { acquirePort } from './port/port.ts';
import type { RunningServer, ServerOptions } from './running-server.ts';
import { exposureOf } from './transport/exposure.ts';
import { hasPassword } from './transport/password.ts';

export type { RunningServer, ServerOptions } from './running-server.ts';

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
  const closing = new Closing();
  closing.addStep(() => {
    // `stop` waits for this if it had to break the lock.
    if (isLost && isRecorded()) ledger.remove(SERVER_RECORD);
    lock.release();
  });
  try {
    const machine = ensureMachineId(data, options.machine);
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
    // Start the keeper first: it takes as long as half of the remaining startup.
    const port = acquirePort({ ...portOptions, start: spawnHost });
    closing.addStep(() => port.abandon());
    // Load the rest while the keeper starts.
    const { serve } = await import('./serve.ts');
    return await serve({
      ...{
        options,
        machine,
        data,
        ledger,
        identity,
        exposure,
        timings,
        logLevel,
        log,
        runtime,
        port,
        closing,
      },
      nextPort: (start) => acquirePort({ ...portOptions, start }),
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
    await closing.close();
    throw error;
  }
}
