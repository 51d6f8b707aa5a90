/** A git server on loopback: `git http-backend`, over TLS and with a password if asked for. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface GitServer {
  readonly port: number;
  readonly requests: string[];
  /** Until released, requests wait without an answer. */
  hang(): { readonly reached: Promise<void> };
  close(): Promise<void>;
}

export async function gitServer(
  root: string,
  password?: string,
  tls?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<GitServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let hanging: (() => void) | undefined;
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    if (hanging) return hanging();
    const known = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
    if (password !== undefined && request.headers.authorization !== known) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
      return;
    }
    serveGit(root, request, response);
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    hang() {
      return {
        reached: new Promise<void>((resolve) => {
          hanging = resolve;
        }),
      };
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers a request about a repository in `root`. */
export function serveGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'me',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const lines = all.subarray(0, end).toString('latin1').split('\r\n');
    const heads = lines.map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = heads.find(([name]) => name === 'Status')?.[1];
    response.writeHead(
      Number.parseInt(status ?? '200', 10),
      Object.fromEntries(heads.filter(([name]) => name !== 'Status')),
    );
    response.end(all.subarray(end + 4));
  });
}
