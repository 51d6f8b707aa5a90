/**
 * HTTP (S1): sign-in, the page's files, blobs, and the routes of other rooms. Every request passes the origin rule first and, but for the
 * sign-in itself, needs the cookie. Sockets are upgraded by `sockets.ts` on the same server.
 */
import type { Server } from 'node:http';
import type { Log } from '@tugdeck/local/log';
import { ADVICE } from '@tugdeck/protocol/wire/error-advice';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, ERRORS, reportOf } from '@tugdeck/protocol/wire/errors';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Tls } from './exposure.ts';
import { isOwnOrigin, type OriginRule } from './origin.ts';
import { findPageFile } from './page-files.ts';
import { createRawServer } from './raw-server.ts';
import { policyOf, SECURITY_HEADERS } from './security-headers.ts';
import type { Door } from './sign-in.ts';
import { isPasswordPath, PASSWORD_PATH, type PasswordSignIn, servePasswordSignIn } from './sign-in-page.ts';

export interface HttpOptions {
  /** The folder of the built page. */
  readonly web: string | undefined;
  readonly log: Log;
  readonly maxBody: number;
  /** Time for a whole request to come in. */
  readonly requestMs: number;
  /** Known only once the port is. */
  readonly rule: () => OriginRule;
  readonly door: () => Door;
  readonly readBlob: (session: string, hash: string) => Buffer | undefined;
  readonly signedOut: (signIn: string) => void;
  readonly tls: Tls | undefined;
  /** Only where others can reach this server. */
  readonly password: PasswordSignIn | undefined;
  /** What other rooms answer under `/api/`; origin and sign-in are checked before. */
  readonly addRoutes: (app: FastifyInstance) => void;
}

const SIGN_IN_PATH = '/in/';
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
  const times = {
    headersTimeout: options.requestMs,
    requestTimeout: options.requestMs,
    connectionsCheckingInterval: Math.min(options.requestMs, CHECK_MS),
  };
  const app = Fastify<Server>({
    logger: false,
    bodyLimit: options.maxBody,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    requestTimeout: options.requestMs,
    serverFactory: (handler) => createRawServer(times, options.tls, handler),
    // An address that cannot be read comes by no hook: the same headers, and nothing of it said again.
    frameworkErrors: (_error, request, reply) => {
      reply.headers(SECURITY_HEADERS);
      refuse(request, reply, 400, 'INVALID_MESSAGE');
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isOwnOrigin(options.rule(), request.headers, { required: !isRead })) {
      return refuse(request, reply, 403, 'FORBIDDEN_ORIGIN');
    }
    if (request.url.startsWith(SIGN_IN_PATH)) return;
    if (options.password && isPasswordPath(request.url)) return;
    const signIn = options.door().recognize(request.headers.cookie);
    if (signIn === undefined) {
      if (options.password && isRead && request.url === '/') return reply.redirect(PASSWORD_PATH, 303);
      return refuse(request, reply, 401, 'UNAUTHORIZED');
    }
    signIns.set(request, signIn);
  });

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof CodedError) return refuse(request, reply, STATUS[error.code] ?? 400, error);
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status >= 500) log.error('request failed', { error });
    if (status === 413) return refuse(request, reply, 413, 'PAYLOAD_TOO_LARGE');
    return refuse(request, reply, status, status < 500 ? 'INVALID_MESSAGE' : error);
  });
  app.setNotFoundHandler((request, reply) => refuse(request, reply, 404, 'NOT_FOUND'));

  // HEAD must not use up the token: some programs look before they open.
  app.get<{ Params: { token: string } }>(
    `${SIGN_IN_PATH}:token`,
    { exposeHeadRoute: false },
    (request, reply) => {
      const agent = request.headers['user-agent'] ?? '';
      const cookie = options.door().redeem(request.params.token, { agent, address: request.ip, way: 'link' });
      reply.header('cache-control', 'no-store');
      if (cookie === undefined) return refuse(request, reply, 401, 'TOKEN_INVALID');
      return reply.header('set-cookie', cookie).redirect('/', 302);
    },
  );

  // The door has let it in already: a page that cannot connect asks whether that is why.
  app.get('/api/me', (_request, reply) => reply.header('cache-control', 'no-store').send({ signedIn: true }));

  app.post('/api/sign-out', (request, reply) => {
    const signIn = signIns.get(request);
    if (signIn === undefined) return refuse(request, reply, 401, 'UNAUTHORIZED');
    reply.header('set-cookie', options.door().revoke(signIn)).status(204).send();
    options.signedOut(signIn);
    return reply;
  });

  app.get<{ Params: { session: string; hash: string } }>('/api/blob/:session/:hash', (request, reply) => {
    const { session, hash } = request.params;
    const blob = /^[0-9a-f]{64}$/.test(hash) ? options.readBlob(session, hash) : undefined;
    if (!blob) return refuse(request, reply, 404, 'NOT_FOUND');
    // Whatever an agent put there is never taken for a page or a script of ours.
    return reply
      .header('content-type', 'application/octet-stream')
      .header('cache-control', 'private, max-age=31536000, immutable')
      .send(blob);
  });

  if (options.password) servePasswordSignIn(app, options.password, options.door);
  options.addRoutes(app);

  app.get('/*', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const file = options.web && findPageFile(options.web, path, accepted);
    if (!file) return refuse(request, reply, 404, 'NOT_FOUND');
    reply.header('content-type', file.type).header('cache-control', file.caching);
    reply.header('content-security-policy', policyOf(path));
    reply.header('vary', 'accept-encoding');
    if (file.encoding) reply.header('content-encoding', file.encoding);
    return reply.send(file.body);
  });
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
