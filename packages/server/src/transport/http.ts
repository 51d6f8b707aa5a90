/**
 * HTTP (S1): sign-in, the page's files, blobs, and the routes of other rooms. Every request passes the origin rule first. The page's
 * program is for anybody; every other route needs the proof of a sign-in. Sockets are upgraded by `sockets.ts` on the same server.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '@tugdeck/local/log';
import { ADVICE } from '@tugdeck/protocol/wire/error-advice';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, ERRORS, reportOf } from '@tugdeck/protocol/wire/errors';
import { signInRequestSchema } from '@tugdeck/protocol/wire/proof';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { limitBodyTime } from './body-timeout.ts';
import type { Tls } from './exposure.ts';
import { isOwnOrigin, type OriginRule } from './origin.ts';
import { findPageFile } from './page-files.ts';
import { limitPipelining } from './pipelining.ts';
import { createRawServer } from './raw-server.ts';
import { policyOf, securityHeaders } from './security-headers.ts';
import type { Authenticator } from './sign-in.ts';
import { PASSWORD_ROUTES, type PasswordSignIn, servePasswordSignIn } from './sign-in-page.ts';
import { isServiceWorkerRequest, sendUnregisterScript } from './stray-service-worker.ts';

export interface HttpOptions {
  /** The folder of the built page. */
  readonly web: string | undefined;
  readonly log: Log;
  readonly maxBody: number;
  readonly maxHead: number;
  /** Time for the head of a request to come in; then for its body, or for the next bytes of it. */
  readonly requestMs: number;
  /** Known only once the port is. */
  readonly rule: () => OriginRule;
  readonly authenticator: () => Authenticator;
  readonly readBlob: (session: string, hash: string) => Buffer | undefined;
  /** A connection carries a request of somebody who is signed in. */
  readonly authenticated: (socket: Socket, signIn: string) => void;
  readonly answered: (socket: Socket, signIn: string) => void;
  /** By a request on this connection, which is still to be answered. */
  readonly signedOut: (signIn: string, socket: Socket) => void;
  readonly tls: Tls | undefined;
  /** What browsers write in front of the port. */
  readonly name: string;
  /** Only where others can reach this server. */
  readonly password: PasswordSignIn | undefined;
  /** What other rooms answer under `/api/`; origin and sign-in are checked before. */
  readonly addRoutes: (app: FastifyInstance) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Loaded by an element that can send no header: a signed address will do. */
    readonly isLoad?: boolean;
  }
}

/** A page at any other address is the same program; this one makes it redeem a token. */
const SIGN_IN_ROUTE = '/in/:token';
const REDEEM_ROUTE = '/api/sign-in';
const PAGE_ROUTE = '/*';
/** Routes as they are declared: what a request's path was matched to, however it was spelled. */
const OPEN_ROUTES: ReadonlySet<string> = new Set([
  SIGN_IN_ROUTE,
  REDEEM_ROUTE,
  PAGE_ROUTE,
  ...PASSWORD_ROUTES,
]);
/** Between two looks for requests that take too long. */
const CHECK_MS = 5_000;

const STATUS: Partial<Record<ErrorCode, number>> = {
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
  const always = securityHeaders({ isSecure: options.tls !== undefined, name: options.name });
  const times = {
    maxHeaderSize: options.maxHead,
    headersTimeout: options.requestMs,
    // Bodies have a limit of their own, which knows who sends them.
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
    // An address that cannot be read comes by no hook: the same headers, and nothing of it said again.
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
    // Before anything else: a worker that another program left at our address must go, whatever it asks for.
    if (isServiceWorkerRequest(request.headers)) return sendUnregisterScript(reply);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isOwnOrigin(options.rule(), request.headers, { required: !isRead })) {
      return refuse(request, reply, 403, 'FORBIDDEN_ORIGIN');
    }
    const { url: route, config } = request.routeOptions;
    if (route === undefined || OPEN_ROUTES.has(route)) return;
    const authenticator = options.authenticator();
    const signIn =
      authenticator.authenticate(request.method, request.url, request.headers.authorization) ??
      (isRead && config.isLoad ? authenticator.authenticateAddress(request.url) : undefined);
    if (signIn === undefined) return refuse(request, reply, 401, 'UNAUTHORIZED');
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

  // The page redeems the token: whatever else looks at the address, to preview or to check it, does not use it up.
  app.get(SIGN_IN_ROUTE, (request, reply) => {
    reply.header('cache-control', 'no-store');
    return sendPageFile(request, reply, '/');
  });

  app.post(REDEEM_ROUTE, (request, reply) => {
    const { data } = signInRequestSchema.safeParse(request.body);
    const agent = request.headers['user-agent'] ?? '';
    const grant = data && options.authenticator().redeem(data.token, { agent, address: request.ip });
    reply.header('cache-control', 'no-store');
    return grant ? reply.send(grant) : refuse(request, reply, 401, 'TOKEN_INVALID');
  });

  // A page that could not connect asks whether that is why. It proves nothing here: it does not know who answers.
  app.get<{ Querystring: { signIn?: unknown } }>(REDEEM_ROUTE, (request, reply) => {
    const { signIn } = request.query;
    const holds = typeof signIn === 'string' && options.authenticator().isValid(signIn);
    return reply
      .header('cache-control', 'no-store')
      .send({ holds, password: options.password !== undefined });
  });

  app.get('/api/me', (_request, reply) => reply.header('cache-control', 'no-store').send({ signedIn: true }));

  app.post('/api/sign-out', (request, reply) => {
    const signIn = signIns.get(request);
    if (signIn === undefined) return refuse(request, reply, 401, 'UNAUTHORIZED');
    options.authenticator().revoke(signIn);
    reply.status(204).send();
    options.signedOut(signIn, request.raw.socket);
    return reply;
  });

  app.get<{ Params: { session: string; hash: string } }>(
    '/api/blob/:session/:hash',
    { config: { isLoad: true } },
    (request, reply) => {
      const { session, hash } = request.params;
      const blob = /^[0-9a-f]{64}$/.test(hash) ? options.readBlob(session, hash) : undefined;
      if (!blob) return refuse(request, reply, 404, 'NOT_FOUND');
      // Whatever an agent put there is never taken for a page or a script of ours.
      return reply
        .header('content-type', 'application/octet-stream')
        .header('cache-control', 'private, max-age=31536000, immutable')
        .send(blob);
    },
  );

  if (options.password) servePasswordSignIn(app, options.password, options.authenticator);
  options.addRoutes(app);

  function sendPageFile(request: FastifyRequest, reply: FastifyReply, path: string) {
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const file = options.web && findPageFile(options.web, path, accepted);
    if (!file) return refuse(request, reply, 404, 'NOT_FOUND');
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', file.caching);
    reply.header('content-type', file.type);
    reply.header('content-security-policy', policyOf(path));
    reply.header('vary', 'accept-encoding');
    if (file.encoding) reply.header('content-encoding', file.encoding);
    return reply.send(file.body);
  }

  app.get(PAGE_ROUTE, (request, reply) => sendPageFile(request, reply, request.url.split('?', 1)[0] ?? '/'));
  return app;
}

/** A sentence for people at the page's own addresses, a coded error for programs elsewhere. */
function refuse(request: FastifyRequest, reply: FastifyReply, status: number, fault: unknown) {
  const report = reportOf(typeof fault === 'string' ? new CodedError(fault as ErrorCode) : fault);
  reply.status(status).header('cache-control', 'no-store');
  if (request.url.startsWith('/api/')) return reply.send(report);
  return reply.type('text/html; charset=utf-8').send(refusalPage(report.code));
}

/** Of what a request brought nothing is said again here. */
function refusalPage(code: ErrorCode): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tugdeck</title></head>
<body><h1>Tugdeck</h1><p>${ERRORS[code].text}</p><p>${ADVICE[code]}</p><p><code>${code}</code></p></body></html>
`;
}
