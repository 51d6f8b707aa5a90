/**
 * HTTP (S1): sign-in, page files, blobs and the routes of other areas. Every request passes the origin check first.
 * The page's own files are public; every other route needs a proven sign-in. `sockets.ts` upgrades WebSockets on the
 * same server.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '@tugdeck/local/log';
import { ADVICE } from '@tugdeck/protocol/wire/error-advice';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, ERRORS, reportOf } from '@tugdeck/protocol/wire/errors';
import { isInstallable, WORKER } from '@tugdeck/protocol/wire/installable';
import { signInRequestSchema } from '@tugdeck/protocol/wire/proof';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { limitBodyTime } from './body-timeout.ts';
import { type Door, findDoor } from './door.ts';
import type { Tls } from './exposure.ts';
import { mayUseRoute } from './limited-device.ts';
import { findPageFile } from './page-files.ts';
import { limitPipelining } from './pipelining.ts';
import { PLAIN_ROUTES, plainPage, servePlainFiles } from './plain-page.ts';
import { createRawServer } from './raw-server.ts';
import { policyOf, securityHeaders } from './security-headers.ts';
import { PASSWORD_ROUTES, type PasswordSignIn, servePasswordSignIn } from './sign-in-page.ts';
import { isServiceWorkerRequest, sendUnregisterScript } from './stray-service-worker.ts';

export interface HttpOptions {
  /** Folder of the built page. */
  readonly web: string | undefined;
  readonly log: Log;
  readonly maxBody: number;
  readonly maxHead: number;
  /** Timeout for a request's headers, and for its body or the next part of it. */
  readonly requestMs: number;
  /** Known once the port is open. */
  readonly doors: () => readonly Door[];
  readonly readBlob: (session: string, hash: string) => Promise<Buffer | undefined>;
  /** The connection carries a request of this sign-in. */
  readonly authenticated: (socket: Socket, signIn: string) => void;
  readonly answered: (socket: Socket, signIn: string) => void;
  /** Signed out by a request on this connection, which still has to be answered. */
  readonly signedOut: (signIn: string, socket: Socket) => void;
  readonly tls: Tls | undefined;
  /** The host name in the browser's address bar. */
  readonly name: string;
  /** Only if other machines can reach this server; works at the doors that take a password. */
  readonly password: PasswordSignIn | undefined;
  /** The port of previews, which the page may frame. */
  readonly previewPort: () => number | undefined;
  /** Adds routes under `/api/`; origin and sign-in are already checked. */
  readonly addRoutes: (
    app: FastifyInstance,
    signInOf: (request: FastifyRequest) => string | undefined,
  ) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Loaded by an element that cannot send headers: a signed URL is accepted. */
    readonly isLoad?: boolean;
  }
}

/** Serves the page, which then redeems the token. */
const SIGN_IN_ROUTE = '/in/:token';
const REDEEM_ROUTE = '/api/sign-in';
const PAGE_ROUTE = '/*';
/** Route patterns, so that the spelling of a path does not matter. */
const OPEN_ROUTES: ReadonlySet<string> = new Set([
  SIGN_IN_ROUTE,
  REDEEM_ROUTE,
  PAGE_ROUTE,
  ...PASSWORD_ROUTES,
  ...PLAIN_ROUTES,
]);
/** How often to look for requests that take too long. */
const CHECK_MS = 5_000;

const STATUS: Partial<Record<ErrorCode, number>> = {
  NOT_FOUND: 404,
  FORBIDDEN_ORIGIN: 403,
  PROJECT_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  PAYLOAD_TOO_LARGE: 413,
  PATH_OUTSIDE: 403,
  FILE_DENIED: 403,
  FILE_PROTECTED: 403,
  FILE_NOT_FOUND: 404,
  FILE_EXISTS: 409,
  FILE_TOO_LARGE: 413,
};

export function createHttp(options: HttpOptions): FastifyInstance {
  const { log } = options;
  const signIns = new WeakMap<FastifyRequest, string>();
  const doorsUsed = new WeakMap<FastifyRequest, Door>();
  const doorOf = (request: FastifyRequest): Door => {
    const door = doorsUsed.get(request);
    if (!door) throw new CodedError('FORBIDDEN_ORIGIN');
    return door;
  };
  const always = securityHeaders({ isSecure: options.tls !== undefined, name: options.name });
  const times = {
    maxHeaderSize: options.maxHead,
    headersTimeout: options.requestMs,
    // Bodies have their own limit, which depends on the sign-in.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(options.requestMs, CHECK_MS),
  };
  const app = Fastify<Server>({
    logger: false,
    bodyLimit: options.maxBody,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    requestTimeout: 0,
    serverFactory: (handler) => createRawServer(times, options.tls, handler),
    // Malformed addresses skip the hooks: send the same headers, and echo nothing.
    frameworkErrors: (_error, request, reply) => {
      reply.headers(always);
      if (isServiceWorkerRequest(request.headers)) sendUnregisterScript(reply);
      else refuse(request, reply, 400, 'INVALID_MESSAGE');
    },
  });

  limitPipelining(app);
  const bodies = limitBodyTime(app.server, options.requestMs);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(always);
    // First of all: a service worker left by another program must be removed, whatever it requests.
    const isWorker = isServiceWorkerRequest(request.headers);
    if (isWorker && request.url !== WORKER) return sendUnregisterScript(reply);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const door = findDoor(options.doors(), request.headers, { required: !isRead });
    if (isWorker && !isOwnWorker(request, door)) return sendUnregisterScript(reply);
    if (!door) return refuse(request, reply, 403, 'FORBIDDEN_ORIGIN');
    doorsUsed.set(request, door);
    reply.headers(door.headers);
    const { url: route, config } = request.routeOptions;
    if (route === undefined || OPEN_ROUTES.has(route)) return;
    const { authenticator } = door;
    const signIn =
      authenticator.authenticate(request.method, request.url, request.headers.authorization) ??
      (isRead && config.isLoad ? authenticator.authenticateAddress(request.url) : undefined);
    if (signIn === undefined) return refuse(request, reply, 401, 'UNAUTHORIZED');
    if (authenticator.isLimited(signIn) && !mayUseRoute(route))
      return refuse(request, reply, 403, 'DEVICE_LIMITED');
    authenticator.noteUse(signIn);
    signIns.set(request, signIn);
    bodies.authenticated(request.raw);
    options.authenticated(request.raw.socket, signIn);
  });
  app.addHook('onResponse', async (request) => {
    const signIn = signIns.get(request);
    if (signIn !== undefined) options.answered(request.raw.socket, signIn);
  });

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof CodedError) return refuse(request, reply, STATUS[error.code] ?? 400, error);
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status >= 500) log.error('request failed', { error });
    if (status === 413) return refuse(request, reply, 413, 'PAYLOAD_TOO_LARGE');
    return refuse(request, reply, status, status < 500 ? 'INVALID_MESSAGE' : error);
  });
  app.setNotFoundHandler((request, reply) => refuse(request, reply, 404, 'NOT_FOUND'));

  // The page redeems the token, so link previews and scanners do not use it up.
  app.get(SIGN_IN_ROUTE, (request, reply) => {
    reply.header('cache-control', 'no-store');
    return sendPageFile(request, reply, '/');
  });

  app.post(REDEEM_ROUTE, (request, reply) => {
    const { data } = signInRequestSchema.safeParse(request.body);
    const agent = request.headers['user-agent'] ?? '';
    const grant = data && doorOf(request).authenticator.redeem(data.token, { agent, address: request.ip });
    reply.header('cache-control', 'no-store');
    return grant ? reply.send(grant) : refuse(request, reply, 401, 'TOKEN_INVALID');
  });

  // Lets a page that cannot connect find out whether its sign-in is still valid. It sends no proof, because it does
  // not know who answers.
  app.get<{ Querystring: { signIn?: unknown } }>(REDEEM_ROUTE, (request, reply) => {
    const { signIn } = request.query;
    const { authenticator, takesPassword } = doorOf(request);
    const holds = typeof signIn === 'string' && authenticator.isValid(signIn);
    return reply.header('cache-control', 'no-store').send({ holds, password: takesPassword });
  });

  app.get('/api/me', (_request, reply) => reply.header('cache-control', 'no-store').send({ signedIn: true }));

  app.post('/api/sign-out', (request, reply) => {
    const signIn = signIns.get(request);
    if (signIn === undefined) return refuse(request, reply, 401, 'UNAUTHORIZED');
    doorOf(request).authenticator.revoke(signIn);
    reply.status(204).send();
    options.signedOut(signIn, request.raw.socket);
    return reply;
  });

  app.get<{ Params: { session: string; hash: string } }>(
    '/api/blob/:session/:hash',
    { config: { isLoad: true } },
    async (request, reply) => {
      const { session, hash } = request.params;
      const blob = /^[0-9a-f]{64}$/.test(hash) ? await options.readBlob(session, hash) : undefined;
      if (!blob) return refuse(request, reply, 404, 'NOT_FOUND');
      // Never served as a page or script, whatever an agent put there.
      return reply
        .header('content-type', 'application/octet-stream')
        .header('cache-control', 'private, max-age=31536000, immutable')
        .send(blob);
    },
  );

  servePlainFiles(app, options.web);
  if (options.password) servePasswordSignIn(app, options.password, doorOf);
  options.addRoutes(app, (request) => signIns.get(request));

  function sendPageFile(request: FastifyRequest, reply: FastifyReply, path: string) {
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const file = options.web && findPageFile(options.web, path, accepted);
    if (!file) return refuse(request, reply, 404, 'NOT_FOUND');
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', file.caching);
    reply.header('content-type', file.type);
    reply.header('content-security-policy', policyOf(path, options.previewPort()));
    reply.header('vary', 'accept-encoding');
    if (file.encoding) reply.header('content-encoding', file.encoding);
    return reply.send(file.body);
  }

  app.get(PAGE_ROUTE, (request, reply) => sendPageFile(request, reply, request.url.split('?', 1)[0] ?? '/'));
  return app;
}

/** The worker of an installed page (N51), which is served nowhere else. */
function isOwnWorker({ method, url }: FastifyRequest, door: Door | undefined): boolean {
  return method === 'GET' && url === WORKER && door !== undefined && isInstallable(door.rule.origin);
}

/** A page for people, a coded error for `/api/`. */
function refuse(request: FastifyRequest, reply: FastifyReply, status: number, fault: unknown) {
  const report = reportOf(typeof fault === 'string' ? new CodedError(fault as ErrorCode) : fault);
  reply.status(status).header('cache-control', 'no-store');
  if (request.url.startsWith('/api/')) return reply.send(report);
  return reply.type('text/html; charset=utf-8').send(refusalPage(report.code));
}

/** Errors that a new link solves. */
const SIGN_IN_ERRORS: ReadonlySet<ErrorCode> = new Set(['UNAUTHORIZED', 'TOKEN_INVALID', 'FORBIDDEN_ORIGIN']);

/** Must not echo anything from the request. */
function refusalPage(code: ErrorCode): string {
  const needsLink = SIGN_IN_ERRORS.has(code);
  const home = needsLink ? '' : '<p><a href="/">Open Tugdeck</a></p>';
  return plainPage({
    title: ERRORS[code].text.replace(/\.$/, ''),
    body: `<p>${ADVICE[code]}</p>${home}<p class="code"><code>${code}</code></p>`,
    command: needsLink ? 'tugdeck url' : undefined,
  });
}
