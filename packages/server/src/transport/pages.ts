/**
 * Everything a browser can reach, on one port: HTTP, the sockets of pages, and the sign-in before both. Joins
 * pages to the rooms behind; what they may do there is decided by the rooms.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { readBlob, storeText } from '@tugdeck/journal/blobs';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { unauthenticatedShare } from '@tugdeck/local/descriptor-limit';
import type { Log } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { Channel, type PageChannel } from '../channels/channel.ts';
import { feedKinds } from '../feeds/feed-kinds.ts';
import { serveFileContents } from '../files/file-route.ts';
import { serveFiles } from '../files/files-route.ts';
import type { Limits } from '../limits.ts';
import type { ComingPort, Port } from '../port/port.ts';
import type { Programs } from '../programs.ts';
import { serveBrowsing } from '../projects/browse-route.ts';
import { ForeignChannel } from '../reader/foreign-channel.ts';
import { listedView } from '../reader/listed-view.ts';
import type { Rooms } from '../rooms.ts';
import type { Store } from '../store/store.ts';
import { serveTrust } from '../trust/trust-route.ts';
import { serveUploads } from '../uploads/upload-route.ts';
import { watchConnections } from './connections.ts';
import type { Exposure } from './exposure.ts';
import { createHttp } from './http.ts';
import { type OriginRule, originRule } from './origin.ts';
import { PageConnection } from './page-connection.ts';
import { hasPassword } from './password.ts';
import { securityHeaders } from './security-headers.ts';
import { type Door, openDoor } from './sign-in.ts';
import { serveSockets } from './sockets.ts';
import { createThrottle } from './throttle.ts';

/** A port that could not be taken may be free again. */
const RETRY_MS = 1_000;

export interface PagesOptions {
  readonly rooms: Rooms;
  readonly store: Store;
  readonly data: DataDirectory;
  readonly programs: Programs;
  readonly exposure: Exposure;
  /** Of the first port; when that is lost, another is asked for. */
  readonly port: ComingPort;
  readonly nextPort: () => ComingPort;
  /** The port was lost: from now on browsers are at another address. */
  readonly moved: () => void;
  readonly timings: Timings;
  readonly limits: Limits;
  readonly log: Log;
  readonly now: () => number;
}

export interface Pages {
  readonly origin: string;
  readonly port: number;
  count(): number;
  /** A fresh one-time address; with a project it shows that one. */
  issueUrl(project?: string): string;
  /** Nobody is signed in any more, and no address that was given out is good. */
  signOutAll(): void;
  close(): Promise<void>;
}

export async function servePages(options: PagesOptions): Promise<Pages> {
  const { rooms, store, data, programs, exposure, timings, limits, log, now } = options;
  const pages = new Set<PageConnection>();
  const isSecure = exposure.tls !== undefined;
  let gate: { readonly rule: OriginRule; readonly door: Door; readonly port: Port } | undefined;
  let isClosed = false;
  const opened = () => {
    if (!gate) throw new CodedError('HOST_UNAVAILABLE', 'The port was lost, and no other is there yet.');
    return gate;
  };
  const feeds = feedKinds(rooms, {
    origin: () => opened().rule.origin,
    host: exposure.host,
    isLoopback: exposure.isLoopback,
    hasTls: exposure.tls !== undefined,
    hasPassword: () => hasPassword(data.password),
    signIns: store.signIns,
    revoke: (signIn) => {
      opened().door.revoke(signIn);
      cutOff(signIn);
    },
  });
  const http = createHttp({
    web: programs.web,
    log,
    maxBody: limits.httpBody,
    maxHead: limits.httpHead,
    requestMs: limits.httpRequestMs,
    rule: () => opened().rule,
    door: () => opened().door,
    readBlob: (session, hash) =>
      (store.sessions.get(session) ? readBlob(data.session(session), hash) : undefined) ??
      (rooms.foreign.get(session) ? readBlob(data.foreign(session), hash) : undefined),
    proven: (socket, signIn) => connections.proven(socket, signIn),
    answered: (socket, signIn) => connections.answered(socket, signIn),
    signedOut: (signIn, socket) => {
      sockets.closeSignIn(signIn);
      connections.cutOff(signIn, socket);
    },
    tls: exposure.tls,
    name: exposure.name,
    password: exposure.isLoopback ? undefined : { file: data.password, throttle: createThrottle(now) },
    addRoutes(app) {
      serveFiles(app, rooms.files);
      serveFileContents(app, { files: rooms.files, maxUpload: limits.fileUpload });
      serveTrust(app, {
        question: (project, agent) => {
          const { path } = rooms.projects.get(project);
          return rooms.trust.question(path, rooms.agents.leavesOutProject(agent, path));
        },
      });
      serveBrowsing(app);
      serveUploads(app, {
        maxBytes: limits.upload,
        store: (session, text) => storeText(data.session(rooms.sessions.row(session).id), text),
      });
    },
  });
  const connections = watchConnections(http.server, {
    isSecure,
    maxUnproven: unauthenticatedShare(limits.unprovenConnections),
  });
  const sockets = serveSockets({
    server: http.server,
    limits,
    headers: securityHeaders({ isSecure, name: exposure.name }),
    proven: (stream) => connections.proven(stream),
    rule: () => opened().rule,
    door: () => opened().door,
    accept(socket, signIn) {
      const page = new PageConnection(socket, {
        deck: rooms.deck,
        build: programs.build,
        timings,
        limits,
        log,
        takeShow: () => opened().door.takeShow(signIn),
        closed: () => pages.delete(page),
        openChannel,
        feeds,
        signIn,
        now,
      });
      pages.add(page);
    },
  });

  function openChannel(session: string, tell: (messages: readonly string[]) => void): PageChannel {
    if (!rooms.takeOver.isUntold(session)) return openOwn(session, tell);
    return new ForeignChannel({
      session,
      look: (told) =>
        rooms.foreign.isFiled(session) ? rooms.reader.look(session, told) : listedView(session, told),
      takeOver: () => rooms.takeOver.takeOver(session),
      isTaken: () => !rooms.takeOver.isUntold(session),
      openOwn: () => openOwn(session, tell),
      tell,
    });
  }

  function openOwn(session: string, tell: (messages: readonly string[]) => void): Channel {
    rooms.sessions.row(session);
    const directory = data.session(session);
    return new Channel({
      session,
      directory,
      hosts: rooms.pool,
      connectMs: timings.hostStartMs,
      log,
      tell,
    });
  }

  const changed = (session: string, fault?: CodedError) => {
    for (const page of pages) for (const channel of page.channelsOf(session)) channel.hostChanged(fault);
  };
  rooms.pool.subscribe({ started: changed, ended: changed });
  rooms.externalTurns.isShown = (session) =>
    [...pages].some((page) => [...page.channelsOf(session)].length > 0);

  /** Ends what a sign-in has open, or all of them. */
  function cutOff(signIn?: string): void {
    if (signIn === undefined) sockets.closeAll();
    else sockets.closeSignIn(signIn);
    connections.cutOff(signIn);
  }

  async function open(coming: ComingPort): Promise<void> {
    const port = await coming.serve((socket) => void http.server.emit('connection', socket));
    const rule = originRule(exposure.name, port.port, isSecure);
    const { instance } = port;
    const door = openDoor({ table: store.signIns, instance, origin: rule.origin, timings, now });
    gate = { rule, door, port };
    void port.lost.then(move);
    if (isClosed) port.close();
  }

  /** Nobody who was let in at the old address is let in here. */
  async function move(): Promise<void> {
    if (isClosed) return;
    const { rule, door } = opened();
    log.warn('the port was lost', { origin: rule.origin });
    door.revokeAll();
    cutOff();
    // Until there is another, no address is given out: at the old one there may be somebody else.
    gate = undefined;
    while (!isClosed) {
      try {
        await open(options.nextPort());
        log.info('listening', { origin: opened().rule.origin });
        options.moved();
        return;
      } catch (error) {
        log.error('no port could be taken', { error });
        await wait(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  await http.ready();
  await open(options.port);
  // Requests that take too long are looked for from now on: connections come from elsewhere, but the rest is as if it listened.
  http.server.emit('listening');

  return {
    get origin() {
      return opened().rule.origin;
    },
    get port() {
      return opened().port.port;
    },
    count: () => pages.size,
    signOutAll() {
      opened().door.revokeAll();
      cutOff();
    },
    issueUrl: (project) => `${opened().rule.origin}/in/${opened().door.issueToken({ show: project })}`,
    async close() {
      isClosed = true;
      gate?.port.close();
      http.server.close();
      await sockets.close();
      http.server.closeAllConnections();
      await http.close();
    },
  };
}
