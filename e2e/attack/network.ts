/** Attacks by anyone who can reach the port. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Attack, alive, refused, SECRET, unless } from './attack.ts';

export const NETWORK: readonly Attack[] = [
  {
    who: 'network',
    name: 'uses a token twice, guesses one, or hides a path in one',
    async run(world) {
      const token = (await world.freshPath()).slice('/in/'.length);
      const redeem = (given: string, headers: Record<string, string> = {}) =>
        world.fetch('/api/sign-in', {
          method: 'POST',
          headers: { origin: world.origin, 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ token: given }),
        });
      const problems = refused('from elsewhere', await redeem(token, { origin: 'http://evil.example' }), 403);
      const first = await redeem(token);
      problems.push(...unless(first.status === 200, `first use: ${first.status}`));
      problems.push(...unless(first.headers['set-cookie'] === undefined, 'a cookie was set'));
      for (const given of [token, '', 'a', 'A'.repeat(43), '../../etc/passwd', '\0', '__proto__'])
        problems.push(...refused(given, await redeem(given)));
      for (const body of ['', '[]', '{"token":{"a":1}}', '{"token":', `{"token":"${'a'.repeat(70_000)}"}`]) {
        const headers = { origin: world.origin, 'content-type': 'application/json' };
        problems.push(...refused(body, await world.fetch('/api/sign-in', { method: 'POST', headers, body })));
      }
      return problems;
    },
  },
  {
    who: 'network',
    name: 'requests files outside the page’s folder',
    async run(world) {
      const problems: string[] = [];
      for (const path of [
        '/../../../../etc/passwd',
        '/assets/../../../../etc/passwd',
        '/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
        '/assets/..%2f..%2f..%2fetc%2fpasswd',
        '/assets/..%5c..%5cetc%5cpasswd',
        '/assets/%252e%252e/%252e%252e/etc/passwd',
        '/assets//etc/passwd',
        '//etc/passwd',
        '/assets/%00',
        '/%c0%ae%c0%ae/etc/passwd',
        '/index.html%00.js',
      ]) {
        const answer = await world.own(path);
        problems.push(...unless(!answer.body.includes(SECRET), `${path}: gave a secret`));
      }
      return problems;
    },
  },
  {
    who: 'network',
    name: 'smuggles requests, sends huge heads and bodies, odd methods, compressed bodies',
    async run(world) {
      const { authorization } = await world.visit.proof('/api/me');
      const head = `Host: ${world.host}\r\nAuthorization: ${authorization}\r\nOrigin: ${world.origin}\r\n`;
      const problems: string[] = [];
      const first = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
      const both = await world.raw(
        `POST /api/sign-out HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      );
      problems.push(...unless(first(both) >= 400 || both === '', `length and chunks: ${first(both)}`));
      const long = await world.raw(`GET /api/me HTTP/1.1\r\n${head}X: ${'a'.repeat(2_000_000)}\r\n\r\n`);
      problems.push(...unless(first(long) === 431 || long === '', `huge head: ${first(long)}`));
      const torn = await world.raw(`GET /api/me\r\nX HTTP/1.1\r\n${head}\r\n`);
      problems.push(...unless(first(torn) >= 400 || torn === '', `torn line: ${first(torn)}`));
      for (const method of ['TRACE', 'PUT', 'DELETE', 'PATCH'])
        problems.push(
          ...refused(method, await world.own('/api/me', { method, headers: { origin: world.origin } })),
        );
      const bomb = gzipSync(Buffer.alloc(50_000_000)).toString('latin1');
      const packed = await world.own('/api/sign-out-nothing', {
        method: 'POST',
        headers: {
          origin: world.origin,
          'content-encoding': 'gzip',
          'content-type': 'application/json',
        },
        body: bomb,
      });
      problems.push(...refused('gzip bomb', packed));
      return [...problems, ...(await alive(world))];
    },
  },
  {
    who: 'network',
    name: 'holds fifty connections open without ever finishing a request',
    async run(world) {
      const sockets = await Promise.all(
        Array.from(
          { length: 50 },
          () =>
            new Promise<ReturnType<typeof connect>>((resolve, reject) => {
              const socket = connect(world.deck.port, '127.0.0.1', () => {
                socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
                resolve(socket);
              });
              socket.on('error', reject);
            }),
        ),
      );
      const problems = await alive(world);
      for (const socket of sockets) socket.destroy();
      return problems;
    },
  },
];
