/** Everything a browser can reach, on one port: HTTP, page sockets and sign-in. Connects pages to the machine. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { unauthenticatedShare } from '@tugdeck/local/descriptor-limit';
import type { Log } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import type { LocalMachine } from '@tugdeck/machine/machine';
import type { Programs } from '@tugdeck/machine/programs';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { isInstallable } from '@tugdeck/protocol/wire/installable';
import type { SettingTable } from '@tugdeck/store/setting-table';
import type { SignInTable } from '@tugdeck/store/sign-in-table';
import type { Deck } from '../deck/deck.ts';
import type { Limits } from '../limits.ts';
import type { Machines } from '../machines/machines.ts';
import type { PendingPort, Port } from '../port/port.ts';
import { servePreviews } from '../preview/serve-previews.ts';
import { Notifier } from '../push/notifier.ts';
import { serveAnswers } from '../routes/answer-route.ts';
import { serveBrowsing } from '../routes/browse-route.ts';
import { serveFileContents } from '../routes/file-route.ts';
import { serveFiles } from '../routes/files-route.ts';
import { servePlaces } from '../routes/place-route.ts';
import { serveTrust } from '../routes/trust-route.ts';
import { serveUploads } from '../routes/upload-route.ts';
import { watchConnections } from './connections.ts';
import { type Door, instanceBehind } from './door.ts';
import type { Exposure } from './exposure.ts';
import { createHttp } from './http.ts';
import type { Instance } from './instance.ts';
import { type OriginRule, originRule } from './origin.ts';
import { PageConnection } from './page-connection.ts';
import { hasPassword } from './password.ts';
import { listenForProxy } from './proxy-socket.ts';
import { securityHeaders } from './security-headers.ts';
import { createAuthenticator, type Device } from './sign-in.ts';
import { serveSockets } from './sockets.ts';
import { createThrottle } from './throttle.ts';

/** Retry interval for acquiring a port. */
const RETRY_MS = 1_000;

export interface PagesOptions {
  /** This machine: Settings shows its address. */
  readonly machine: LocalMachine;
  readonly machines: Machines;
  readonly deck: Deck;
  readonly signIns: SignInTable;
  readonly settings: SettingTable;
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
  /** Pairs a device (N54): through the proxy if there is one. */
  pair(device: Device): PairingLink;
  /** Revokes every sign-in and every issued sign-in link. */
  signOutAll(): void;
  close(): Promise<void>;
}

export interface PairingLink {
  readonly url: string;
  /** To be typed instead, at `origin`; absent where no form takes it. */
  readonly code?: string;
  readonly origin: string;
  readonly expiresAt: number;
}

export async function servePages(options: PagesOptions): Promise<Pages> {
  const { machine, machines, deck, signIns, data, programs, exposure, timings, limits, log, now } = options;
  const pages = new Set<PageConnection>();
  const isSecure = exposure.tls !== undefined;
  /** The first door is the server's own address, the second that of a proxy. */
  let current: { readonly doors: readonly [Door, ...Door[]]; readonly port: Port } | undefined;
  let isClosed = false;
  const currentPort = () => {
    if (!current) throw new CodedError('HOST_UNAVAILABLE', 'The port was lost, and no new one is open yet.');
    return current;
  };
  const doors = () => currentPort().doors;
  const ownDoor = () => doors()[0];
  const linkThrough = ({ rule, authenticator }: Door, project?: string) =>
    `${rule.origin}/in/${authenticator.issueToken({ project })}`;
  const pair = (device: Device): PairingLink => {
    const [own, proxied] = doors();
    const { rule, authenticator, takesPassword } = proxied ?? own;
    const { token, code } = authenticator.issuePairing(device);
    return {
      url: `${rule.origin}/in/${token}`,
      ...(takesPassword ? { code } : {}),
      origin: rule.origin,
      expiresAt: now() + timings.tokenMs,
    };
  };
  const revokeAll = () => {
    for (const { authenticator } of doors()) authenticator.revokeAll();
  };
  const previews = servePreviews({
    isOffered: exposure.isLoopback && !isSecure,
    deck: () => ({ origin: ownDoor().rule.origin, port: currentPort().port.port }),
    web: programs.web,
    now,
  });
  machines.showPreviews(previews.access);
  let isPrivatePush = false;
  const stopConfigured = machine.configured(({ privatePush }) => {
    isPrivatePush = privatePush === true;
  });
  const notifier = new Notifier({
    ...{ machine: machines, settings: options.settings, signIns, log, now },
    isInSight: (session) => [...pages].some((page) => page.hasInSight(session)),
    isAnywhere: () => isPrivatePush,
  });
  machine.serveFor({
    push: notifier,
    previews: previews.access,
    origin: () => ownDoor().rule.origin,
    proxiedOrigin: exposure.proxied?.origin,
    host: exposure.host,
    isLoopback: exposure.isLoopback,
    hasTls: exposure.tls !== undefined,
    hasPassword: () => hasPassword(data.password),
    signIns,
    pair,
    revoke: (signIn) => {
      ownDoor().authenticator.revoke(signIn);
      disconnect(signIn);
    },
  });
  const http = createHttp({
    web: programs.web,
    log,
    maxBody: limits.httpBody,
    maxHead: limits.httpHead,
    requestMs: limits.httpRequestMs,
    doors,
    readBlob: (session, hash) => machines.readBlob(session, hash),
    authenticated: (socket, signIn) => connections.authenticated(socket, signIn),
    answered: (socket, signIn) => connections.answered(socket, signIn),
    signedOut: (signIn, socket) => {
      sockets.closeSignIn(signIn);
      connections.disconnect(signIn, socket);
    },
    tls: exposure.tls,
    name: exposure.name,
    previewPort: previews.port,
    password:
      exposure.isLoopback && !exposure.proxied
        ? undefined
        : { file: data.password, throttle: createThrottle(now) },
    addRoutes(app, signInOf) {
      serveAnswers(app, notifier, signInOf);
      serveFiles(app, machines.files);
      serveFileContents(app, { files: machines.files, maxUpload: limits.fileUpload });
      serveTrust(app, machines);
      serveBrowsing(app, machines);
      servePlaces(app, machines);
      serveUploads(app, { maxBytes: limits.upload, machine: machines });
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
    // Upgrades are refused while the port is lost; an error would end the server.
    doors: () => current?.doors ?? [],
    accept(socket, signIn, authenticator) {
      const page = new PageConnection(socket, {
        deck,
        build: programs.build,
        timings,
        limits,
        log,
        takeInitialProject: () => authenticator.takeInitialProject(signIn),
        closed: () => pages.delete(page),
        machine: machines,
        signIn,
        isLimited: authenticator.isLimited(signIn),
        canPush: doors().some(({ rule }) => isInstallable(rule.origin)),
        used: () => authenticator.noteUse(signIn),
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
    const { instance } = port;
    const rule = originRule(exposure.name, port.port, isSecure);
    const own: Door = {
      rule,
      authenticator: createAuthenticator({
        ...{ instance, timings, now },
        table: signIns,
        origin: rule.origin,
      }),
      headers: securityHeaders({ isSecure, name: exposure.name }),
      takesPassword: !exposure.isLoopback,
    };
    const { proxied } = exposure;
    current = { doors: proxied ? [own, doorBehind(proxied, instance)] : [own], port };
    void port.lost.then(replacePort);
    if (isClosed) port.close();
  }

  function doorBehind(rule: OriginRule, instance: Instance): Door {
    return {
      rule,
      authenticator: createAuthenticator({
        ...{ timings, now },
        instance: instanceBehind(instance, rule),
        table: signIns,
        origin: rule.origin,
      }),
      headers: securityHeaders({ isSecure: true, name: rule.host.split(':', 1)[0] ?? '' }),
      takesPassword: true,
    };
  }

  /** Replaces a lost port. No sign-in of the old address is valid for the new one. */
  async function replacePort(): Promise<void> {
    if (isClosed) return;
    log.warn('port lost', { origin: ownDoor().rule.origin });
    revokeAll();
    previews.endAll();
    disconnect();
    // Until then no address is issued: another program may be at the old one.
    current = undefined;
    while (!isClosed) {
      try {
        await openPort(options.nextPort());
        log.info('listening', { origin: ownDoor().rule.origin });
        options.moved(linkThrough(ownDoor()));
        return;
      } catch (error) {
        log.error('could not acquire a port', { error });
        await wait(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  await http.ready();
  await openPort(options.port);
  await previews.start(currentPort().port.instance);
  // Connections are passed in rather than accepted, but Node starts its timeout checks on `listening`.
  http.server.emit('listening');
  const proxySocket = exposure.proxied
    ? await listenForProxy(data.proxySocket, (socket) => void http.server.emit('connection', socket)).catch(
        (error: unknown) => {
          // The path can be too long for a socket; the port remains.
          log.warn('no socket for the proxy', { error });
          return undefined;
        },
      )
    : undefined;

  return {
    get origin() {
      return ownDoor().rule.origin;
    },
    get port() {
      return currentPort().port.port;
    },
    count: () => pages.size,
    signOutAll() {
      revokeAll();
      disconnect();
    },
    issueUrl: (project) => linkThrough(ownDoor(), project),
    pair,
    async close() {
      isClosed = true;
      stopConfigured();
      notifier.close();
      proxySocket?.close();
      current?.port.close();
      previews.close();
      http.server.close();
      await sockets.close();
      http.server.closeAllConnections();
      await http.close();
    },
  };
}
