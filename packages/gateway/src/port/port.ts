/**
 * The port that browsers connect to, and its instance (X1). A keeper that outlives the server holds it and is found
 * through the ledger; when the keeper is gone, so is every sign-in, and its successor has another port. Without a
 * keeper program the server holds the port itself.
 */

import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { connectionShare } from '@tugdeck/local/descriptor-limit';
import { addressesOf, holdPort } from '@tugdeck/local/held-port';
import { KEEPER_RECORD, type KeeperConfig } from '@tugdeck/local/keeper-link';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Log, LogLevel } from '@tugdeck/local/log';
import type { StartProgram } from '@tugdeck/local/spawn-host';
import type { Timings } from '@tugdeck/local/timings';
import { type Instance, newInstance } from '../transport/instance.ts';
import { endKeeper } from './end-keeper.ts';
import { connectKeeper, type KeeperConnection } from './keeper-connection.ts';
import { acceptRelayed, type RelayListener } from './relayed.ts';

export interface Port {
  readonly port: number;
  readonly instance: Instance;
  /** Resolves when the port was lost without being closed. */
  readonly lost: Promise<void>;
  close(): void;
}

export interface PortOptions {
  readonly data: DataDirectory;
  readonly runtime: string;
  readonly ledger: Ledger;
  /** The keeper's bundle. */
  readonly program: string | undefined;
  readonly start: StartProgram;
  readonly host: string;
  /** The configured port; no other one is used. */
  readonly port: number | undefined;
  readonly isSecure: boolean;
  readonly timings: Timings;
  readonly logLevel: LogLevel;
  readonly log: Log;
}

/** A port being acquired in the background while the rest of the server starts. */
export interface PendingPort {
  serve(accept: (socket: Socket) => void): Promise<Port>;
  /** The server did not start after all: ends a keeper that was started for it. */
  abandon(): Promise<void>;
}

interface FoundKeeper {
  readonly keeper: KeeperConnection;
  readonly isNew: boolean;
}

const MAX_CONNECTIONS = 512;

export function acquirePort(options: PortOptions): PendingPort {
  if (options.program === undefined) {
    return { serve: (accept) => holdOwnPort(options, accept), abandon: async () => undefined };
  }
  const keeperFound = findKeeper(options, options.program);
  // `serve` reports the error.
  keeperFound.catch(() => undefined);
  let isServed = false;
  return {
    async serve(accept) {
      const { keeper } = await keeperFound;
      const port = await useKeeperPort(options, keeper, accept);
      isServed = true;
      return port;
    },
    async abandon() {
      const found = isServed ? undefined : await keeperFound.catch(() => undefined);
      if (found?.isNew) found.keeper.send({ type: 'end' });
      else found?.keeper.close();
    },
  };
}

async function holdOwnPort({ host, port }: PortOptions, accept: (socket: Socket) => void): Promise<Port> {
  const held = await holdPort({
    hosts: addressesOf(host),
    port,
    maxConnections: connectionShare(MAX_CONNECTIONS),
    accept,
  });
  return {
    port: held.port,
    instance: newInstance(),
    lost: new Promise(() => undefined),
    close: held.close,
  };
}

async function useKeeperPort(
  { runtime }: PortOptions,
  keeper: KeeperConnection,
  accept: (socket: Socket) => void,
): Promise<Port> {
  const socket = join(runtime, `h-${process.pid}.sock`);
  const { id, key } = keeper.held.instance;
  let relayed: RelayListener;
  try {
    relayed = await acceptRelayed(socket, accept);
  } catch (error) {
    keeper.close();
    throw error;
  }
  let isClosed = false;
  keeper.send({ type: 'serve', socket });
  return {
    port: keeper.held.port,
    instance: { id, key: Buffer.from(key, 'base64url') },
    lost: new Promise((resolve) => {
      void keeper.closed.then(() => {
        if (isClosed) return;
        relayed.close();
        resolve();
      });
    }),
    close() {
      isClosed = true;
      keeper.close();
      relayed.close();
    },
  };
}

/** Uses the running keeper if it holds the wanted port, otherwise starts a new one. */
async function findKeeper(options: PortOptions, program: string): Promise<FoundKeeper> {
  const { ledger, timings, log } = options;
  const record = ledger.get(KEEPER_RECORD);
  if (record && ledger.isAlive(record)) {
    const found = await connectKeeper(record, timings.hostStartMs).catch((error: unknown) => {
      log.warn('the port keeper is not responding', { error });
      return undefined;
    });
    if (found && matches(found, options)) return { keeper: found, isNew: false };
    found?.close();
    await endKeeper(ledger, timings);
  }
  const { data, runtime, start, host, port, isSecure, logLevel } = options;
  const config: KeeperConfig = {
    dataDirectory: data.root,
    runtimeDirectory: runtime,
    host,
    ...(port === undefined ? {} : { port }),
    isSecure,
    timings: { leaseMs: timings.leaseMs, leaseExpiryMs: timings.leaseExpiryMs },
    logLevel,
  };
  const timeoutMs = timings.hostStartMs;
  const started = await start({ program, logs: data.logs, name: 'keeper', config, timeoutMs });
  return { keeper: await connectKeeper(started, timeoutMs), isNew: true };
}

function matches({ held }: KeeperConnection, { host, port, isSecure }: PortOptions): boolean {
  const isPort = port === undefined || port === 0 || port === held.port;
  return isPort && held.host === host && held.isSecure === isSecure;
}
