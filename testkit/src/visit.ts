// A browser session without a browser: signs in with a sign-in link and proves it, with the page's own client.
import { Access, type SocketHandshake } from '@tugdeck/client/access';
import { type Credentials, openCredentialStore } from '@tugdeck/client/credentials';
import { type ClientOptions, WebSocket } from 'ws';

export interface VisitOptions {
  /** Replaces `fetch` if requests cannot go to the address itself. */
  readonly send?: typeof fetch;
}

export class Visit {
  readonly origin: string;
  readonly access: Access;

  private constructor(origin: string, access: Access) {
    this.origin = origin;
    this.access = access;
  }

  static async enter(url: string, { send }: VisitOptions = {}): Promise<Visit> {
    const { origin, pathname } = new URL(url);
    const access = new Access({
      origin,
      store: openCredentialStore(undefined),
      fetch: send ?? sendFrom(origin),
    });
    if (!(await access.redeem(pathname.slice('/in/'.length)))) throw new Error(`${url} did not sign in`);
    // A test that uses only HTTP need not verify the server.
    access.serverProven();
    return new Visit(origin, access);
  }

  /** A page at another origin with the same sign-in, like that of a program on another port. */
  static async of(origin: string, credentials: Credentials): Promise<Visit> {
    const store = { ...openCredentialStore(undefined), read: async () => credentials };
    const access = new Access({ origin, store, fetch: sendFrom(origin) });
    await access.hasCredentials();
    return new Visit(origin, access);
  }

  get signIn(): string {
    return new URLSearchParams(this.opening().query).get('signIn') ?? '';
  }

  /** The headers that a manual request needs. */
  async proof(path: string, method = 'GET'): Promise<Record<string, string>> {
    return { authorization: await this.access.authorizationHeader(method, path) };
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return this.access.fetch(path, init);
  }

  opening(): SocketHandshake {
    const opening = this.access.startHandshake();
    if (!opening) throw new Error('not signed in');
    return opening;
  }

  /** An authenticated socket. `at`: the address, if not the origin itself. */
  async socket(options: ClientOptions = {}, at = this.origin): Promise<WebSocket> {
    const opening = this.opening();
    const headers = { origin: this.origin, ...options.headers };
    const address = `${at.replace(/^http/, 'ws')}/ws?${opening.query}`;
    const socket = new WebSocket(address, { perMessageDeflate: false, ...options, headers });
    await prove(socket, opening);
    return socket;
  }
}

/** Uses a new connection: a kept-alive one may be closed by the other end just when it is reused. */
function sendFrom(origin: string): typeof fetch {
  return (input, init) =>
    fetch(input, { ...init, headers: { origin, connection: 'close', ...init?.headers } });
}

/** Answers the server's proof, which comes first. */
export function prove(socket: WebSocket, opening: SocketHandshake): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, { statusCode }) => reject(new Refused(statusCode ?? 0)));
    socket.once('close', () => reject(new Refused(0)));
    socket.once('message', (data: Buffer) => {
      opening.answer(data.toString()).then((answer) => {
        if (answer === undefined) return reject(new Error('the server did not prove itself'));
        socket.send(answer);
        resolve();
      }, reject);
    });
  });
}

/** An upgrade request that was refused. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the socket was refused (${status})`);
    this.status = status;
  }
}
