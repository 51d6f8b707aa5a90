/**
 * Binds a port on one or more addresses of this machine: on all of them or on none (L1, X1). By default the port is
 * random, from a range below those that development servers use, so that no program can know it in advance and wait
 * there.
 */
import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export interface HeldPort {
  readonly port: number;
  close(): void;
}

export interface PortRequest {
  readonly hosts: readonly string[];
  /** This port or none; 0 lets the system choose. */
  readonly port: number | undefined;
  /** Without it, `accept` limits them. */
  readonly maxConnections?: number | undefined;
  readonly accept: (socket: Socket) => void;
}

export const RANDOM_PORTS = { from: 7_000, to: 17_000 };
/** Ports that browsers refuse to connect to. */
const REFUSED_BY_BROWSERS: ReadonlySet<number> = new Set([10_080]);
const TRIES = 200;

export function isAllowedPort(port: number): boolean {
  return !REFUSED_BY_BROWSERS.has(port);
}

/** Browsers resolve `localhost` to two addresses; another program must not hold the other one. */
export function addressesOf(host: string): readonly string[] {
  return host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
}

export async function holdPort(request: PortRequest): Promise<HeldPort> {
  if (request.port !== undefined) {
    const held = await tryPort(request, request.port);
    if (held) return held;
    throw new CodedError(
      'TOO_MANY',
      `Port ${request.port} is in use or not permitted.`,
      'Choose another with --port.',
    );
  }
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(RANDOM_PORTS.from, RANDOM_PORTS.to);
    const held = isAllowedPort(port) ? await tryPort(request, port) : undefined;
    if (held) return held;
  }
  throw new CodedError('TOO_MANY', 'No free port was found.');
}

async function tryPort(
  { hosts, maxConnections, accept }: PortRequest,
  port: number,
): Promise<HeldPort | undefined> {
  const servers: Server[] = [];
  let taken = port;
  const close = () => {
    for (const server of servers) server.close();
  };
  for (const host of hosts) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
    if (maxConnections !== undefined) server.maxConnections = maxConnections;
    const outcome = await listen(server, host, taken);
    if (outcome === 'held') {
      servers.push(server);
      taken = (server.address() as AddressInfo).port;
    } else if (outcome === 'taken') {
      close();
      return undefined;
    }
  }
  if (servers.length > 0) return { port: taken, close };
  throw new CodedError('TOO_MANY', `${hosts.join(' and ')} is not an address of this machine.`);
}

/** `missing`: this machine does not have the address, so no other program can hold it either. */
function listen(server: Server, host: string, port: number): Promise<'held' | 'taken' | 'missing'> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve('taken');
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve('missing');
      else reject(error);
    };
    server.once('error', failed);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', failed);
      resolve('held');
    });
  });
}
