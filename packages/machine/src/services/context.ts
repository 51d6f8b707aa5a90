/** The context in which every part of the machine is created. */
import { homedir } from 'node:os';
import type { Closing } from '@tugdeck/local/closing';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Log, LogLevel } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import type { Store } from '@tugdeck/store/store';
import { cleanEnvironment } from '../clean-environment.ts';
import type { Configuration } from '../configuration.ts';
import type { Environment } from '../port.ts';
import type { Programs } from '../programs.ts';

export interface ServicesOptions {
  /** The id of this machine. */
  readonly id: string;
  readonly data: DataDirectory;
  readonly runtime: string;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly programs: Programs;
  readonly configuration: Configuration;
  readonly environment: NodeJS.ProcessEnv;
  readonly timings: Timings;
  readonly logLevel: LogLevel;
  readonly log: Log;
  readonly now: () => number;
}

export interface Context extends Omit<ServicesOptions, 'environment'> {
  readonly environment: Environment;
  readonly home: string;
  /** Services with something to close register here, where they are created. */
  readonly closing: Closing;
  /** For programs that outlive us. */
  readonly hostConfig: {
    readonly dataDirectory: string;
    readonly runtimeDirectory: string;
    readonly timings: Timings;
    readonly logLevel: LogLevel;
  };
}

export function contextOf(options: ServicesOptions, closing: Closing): Context {
  const { data, runtime, timings, logLevel } = options;
  const environment = cleanEnvironment(options.environment);
  return {
    ...options,
    environment,
    home: environment.HOME ?? homedir(),
    closing,
    hostConfig: { dataDirectory: data.root, runtimeDirectory: runtime, timings, logLevel },
  };
}
