/** Everything a browser can reach, on one port: HTTP, page sockets and sign-in. Connects pages to the machine. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { unauthenticatedShare } from '@tugdeck/local/descriptor-limit';
import type { Log } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import type { LocalMachine } from '@tugdeck/machine/machine';
import type { Programs } from '@tugdeck/machine/programs';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { SignInTable } from '@tugdeck/store/sign-in-table';
import type { Deck } from '../deck/deck.ts';
import type { Limits } from '../limits.ts';
import type { PendingPort, Port } from '../port/port.ts';
import { serveBrowsing } from '../routes/browse-route.ts';
import { serveFileContents } from '../routes/file-route.ts';
import { serveFiles } from '../routes/files-route.ts';
import { serveTrust } from '../routes/trust-route.ts';
import { serveUploads } from '../routes/upload-route.ts';
import { watchConnections } from './connections.ts';
import type { Exposure } from './exposure.ts';
import { createHttp } from './http.ts';
import { type OriginRule, originRule } from './origin.ts';
import { PageConnection } from './page-connection.ts';
import { hasPassword } from './password.ts';
import { securityHeaders } from './security-headers.ts';
import { type Authenticator, createAuthenticator } from './sign-in.ts';
import { serveSockets } from './sockets.ts';
import { createThrottle } from './throttle.ts';

/** Retry interval for acquiring a port. */
const RETRY_MS = 1_000;

export interface PagesOptions {
  readonly machine: LocalMachine;
  readonly deck: Deck;
  readonly signIns: SignInTable;
  readonly data: DataDirectory;
  readonly programs: Programs;
  readonly exposure: Exposure;
  /** The first port; `nextPort` acquires another when it is lost. */
  readonly port: PendingPort;
  readonly nextPort: () => PendingPort;
  /** Called with a new sign-in link when the port was lost. */
  readonly moved: (url: string) => void;
  readonly timings: Timings;
  readonly limits: Limits;
  readonly log: Log;
  readonly now: () => number;
}

export interface Pages {
  readonly origin: string;
  readonly port: number;
  count(): number;
  /** Creates a sign-in link, optionally for a project. */
  issueUrl(project?: string): string;
  /** Revokes every sign-in and every issued sign-in link. */
  signOutAll(): void;
  close(): Promise<void>;
}

export async function servePages(options: PagesOptions): Promise<Pages> {
  const { machine, deck, signIns, data, programs, exposure, timings, limits, log, now } = options;
  const pages = new Set<PageConnection>();
  const isSecure = exposure.tls !== undefined;
  let current:
    | { readonly rule: OriginRule; readonly authenticator: Authenticator; readonly port: Port }
    | undefined;
  let isClosed = false;
  const currentPort = () => {
    if (!current) throw new CodedError('HOST_UNAVAILABLE', 'The port was lost, and no new one is open yet.');
    return current;
  };
  const issueUrl = (project?: string) =>
    `${currentPort().rule.origin}/in/${currentPort().authenticator.issueToken({ project })}`;
  machine.serveFor({
    origin: () => currentPort().rule.origin,
    host: exposure.host,
    isLoopback: exposure.isLoopback,
    hasTls: exposure.tls !== undefined,
    hasPassword: () => hasPassword(data.password),
    signIns,
    revoke: (signIn) => {
      currentPort().authenticator.revoke(signIn);
      disconnect(signIn);
    },
  });
  const http = createHttp({
    web: programs.web,
    log,
    maxBody: limits.httpBody,
    maxHead: limits.httpHead,
    requestMs: limits.httpRequestMs,
    rule: () => currentPort().rule,
    authenticator: () => currentPort().authenticator,
    readBlob: (session, hash) => machine.readBlob(session, hash),
    authenticated: (socket, signIn) => connections.authenticated(socket, signIn),
    answered: (socket, signIn) => connections.answered(socket, signIn),
    signedOut: (signIn, socket) => {
      sockets.closeSignIn(signIn);
      connections.disconnect(signIn, socket);
    },
    tls: exposure.tls,
    name: exposure.name,
    password: exposure.isLoopback ? undefined : { file: data.password, throttle: createThrottle(now) },
    addRoutes(app) {
      serveFiles(app, machine.files);
      serveFileContents(app, { files: machine.files, maxUpload: limits.fileUpload });
      serveTrust(app, machine);
      serveBrowsing(app, machine);
      serveUploads(app, {
        maxBytes: limits.upload,
        machine,
      });
    },
  });
  const connections = watchConnections(http.server, {
    maxUnauthenticated: unauthenticatedShare(limits.unauthenticatedConnections),
  });
  const sockets = serveSockets({
    server: http.server,
    limits,
    headers: securityHeaders({ isSecure, name: exposure.name }),
    authenticated: (stream) => connections.authenticated(stream),
    rule: () => currentPort().rule,
    authenticator: () => currentPort().authenticator,
    accept(socket, signIn) {
      const page = new PageConnection(socket, {
        deck,
        build: programs.build,
        timings,
        limits,
        log,
        takeInitialProject: () => currentPort().authenticator.takeInitialProject(signIn),
        closed: () => pages.delete(page),
        machine,
        signIn,
        now,
      });
      pages.add(page);
    },
  });

  /** Closes everything a sign-in has open, or everything. */
  function disconnect(signIn?: string): void {
    if (signIn === undefined) sockets.closeAll();
    else sockets.closeSignIn(signIn);
    connections.disconnect(signIn);
  }

  async function openPort(pending: PendingPort): Promise<void> {
    const port = await pending.serve((socket) => void http.server.emit('connection', socket));
    const rule = originRule(exposure.name, port.port, isSecure);
    const { instance } = port;
    const authenticator = createAuthenticator({
      table: signIns,
      instance,
      origin: rule.origin,
      timings,
      now,
    });
    current = { rule, authenticator, port };
    void port.lost.then(replacePort);
    if (isClosed) port.close();
  }

  /** Replaces a lost port. No sign-in of the old address is valid for the new one. */
  async function replacePort(): Promise<void> {
    if (isClosed) return;
    const { rule, authenticator } = currentPort();
    log.warn('port lost', { origin: rule.origin });
    authenticator.revokeAll();
    disconnect();
    // Until then no address is issued: another program may be at the old one.
    current = undefined;
    while (!isClosed) {
      try {
        await openPort(options.nextPort());
        log.info('listening', { origin: currentPort().rule.origin });
        options.moved(issueUrl());
        return;
      } catch (error) {
        log.error('could not acquire a port', { error });
        await wait(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  await http.ready();
  await openPort(options.port);
  // Connections are passed in rather than accepted, but Node starts its timeout checks on `listening`.
  http.server.emit('listening');

  return {
    get origin() {
      return currentPort().rule.origin;
    },
    get port() {
      return currentPort().port.port;
    },
    count: () => pages.size,
    signOutAll() {
      currentPort().authenticator.revokeAll();
      disconnect();
    },
    issueUrl,
    async close() {
      isClosed = true;
      current?.port.close();
      http.server.close();
      await sockets.close();
      http.server.closeAllConnections();
      await http.close();
    },
  };
}
