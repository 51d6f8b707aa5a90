/**
 * The port that browsers come to, and the instance it makes (X1). It is held by a keeper that outlives this server, found again by the
 * ledger; a keeper that is gone took every sign-in with it, and its successor has another port. Without a keeper's program the
 * port is held here, for as long as this server lives.
 */

import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { connectionShare } from '@tugdeck/local/descriptor-limit';
import { addressesOf, holdPort } from '@tugdeck/local/held-port';
import { KEEPER_RECORD, type KeeperConfig } from '@tugdeck/local/keeper-link';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Log, LogLevel } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import type { HostStarter } from '../hosts/host-starter.ts';
import { type Instance, newInstance } from '../transport/instance.ts';
import { endKeeper } from './end-keeper.ts';
import { connectKeeper, type KeeperConnection } from './keeper-connection.ts';
import { acceptRelayed, type RelayListener } from './relayed.ts';

export interface Port {
  readonly port: number;
  readonly instance: Instance;
  /** Resolves when the port was lost though nobody closed it. */
  readonly lost: Promise<void>;
  close(): void;
}

export interface PortOptions {
  readonly data: DataDirectory;
  readonly runtime: string;
  readonly ledger: Ledger;
  /** The keeper's one file. */
  readonly program: string | undefined;
  readonly start: HostStarter['start'];
  readonly host: string;
  /** As the user wants it: this one or none. */
  readonly port: number | undefined;
  readonly isSecure: boolean;
  readonly timings: Timings;
  readonly logLevel: LogLevel;
  readonly log: Log;
}

/** Begins before anybody is served: the keeper's start takes a while, and others can use it. */
export interface PendingPort {
  serve(accept: (socket: Socket) => void): Promise<Port>;
  /** Nobody will be served after all: a keeper that was started for it ends. */
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
  const finding = findKeeper(options, options.program);
  // Whoever serves hears of it.
  finding.catch(() => undefined);
  let isServed = false;
  return {
    async serve(accept) {
      const { keeper } = await finding;
      const port = await useKeeperPort(options, keeper, accept);
      isServed = true;
      return port;
    },
    async abandon() {
      const found = isServed ? undefined : await finding.catch(() => undefined);
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

/** The one that runs, if it holds what is wanted now; else a new one. */
async function findKeeper(options: PortOptions, program: string): Promise<FoundKeeper> {
  const { ledger, timings, log } = options;
  const record = ledger.get(KEEPER_RECORD);
  if (record && ledger.isAlive(record)) {
    const found = await connectKeeper(record, timings.hostStartMs).catch((error: unknown) => {
      log.warn('the port keeper does not answer', { error });
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
