/** Attacks by a previewed app, and on the proxy that shows it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Attack, alive, refused, unless, withVisitor } from './attack.ts';
import type { HttpResponse, Visitor, World } from './world.ts';

const APP = fileURLToPath(new URL('../preview-app.mjs', import.meta.url));

interface Opened {
  readonly type: 'open' | 'held';
  readonly url: string;
  readonly origin: string;
}

/** A web server in `directory`, while `use` runs. */
async function withApp<T>(directory: string, use: (port: number) => Promise<T>): Promise<T> {
  const child: ChildProcess = spawn(process.execPath, [APP], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const port = await new Promise<number>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        const found = /localhost:(\d+)/.exec(chunk.toString())?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    });
    return await use(port);
  } finally {
    child.kill();
  }
}

async function open(visitor: Visitor, project: string, address: string): Promise<Opened | string> {
  await visitor.openFeed(40, 'preview', { project });
  const answer = await visitor.reply('preview', 40, { type: 'open', address });
  return answer as Opened | string;
}

export function fetchFrom(
  port: number,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on('error', reject).end();
  });
}

/** The proxy's port, which the deck's policy names. */
async function proxyPort(world: World): Promise<number> {
  const policy = String((await world.own('/')).headers['content-security-policy']);
  return Number(/frame-src 'self' http:\/\/\*\.localhost:(\d+);/.exec(policy)?.[1] ?? 0);
}

export const PREVIEW: readonly Attack[] = [
  {
    who: 'app',
    name: 'is an address of another machine, of the deck itself, or a disguised one',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        const problems: string[] = [];
        const { port } = world.deck;
        await visitor.openFeed(40, 'preview', { project });
        for (const address of [
          'http://evil.example/',
          'http://169.254.169.254/latest/meta-data/',
          'http://localhost.evil.example:80/',
          'http://127.0.0.1.nip.io/',
          'http://localhost@evil.example/',
          'http://evil.example#localhost:80',
          'http://10.0.0.1:80/',
          'https://localhost:8443/',
          'file:///etc/passwd',
          'javascript:alert(1)',
          `http://127.0.0.1:${port}/`,
          `http://localhost:${port}/api/me`,
          `http://[::1]:${port}/`,
          `http://2130706433:${port}/`,
          `http://localhost:${await proxyPort(world)}/`,
        ]) {
          const code = await visitor.call('preview', 40, { type: 'open', address });
          problems.push(...unless(code === 'INVALID_MESSAGE', `${address}: ${code}`));
        }
        return problems;
      }),
  },
  {
    who: 'app',
    name: 'is another program’s: its port is named before it is shown',
    run: (world) =>
      withApp(tmpdir(), (port) =>
        withVisitor(world, async (visitor, project) => {
          const answer = await open(visitor, project, `http://127.0.0.1:${port}/`);
          return unless(typeof answer === 'object' && answer.type === 'held', JSON.stringify(answer));
        }),
      ),
  },
  {
    who: 'app',
    name: 'uses the cookie of its frame, or the deck’s address, to reach the deck',
    run: (world) =>
      withApp(world.deck.sandbox.project, (port) =>
        withVisitor(world, async (visitor, project) => {
          await visitor.openFeed(41, 'preview', { project });
          const ask = { type: 'open', address: `http://localhost:${port}/` };
          const opened = (await visitor.reply('preview', 41, ask)) as Opened;
          const { host, pathname, origin } = new URL(opened.url);
          const proxy = Number(new URL(opened.url).port);
          const signedIn = await fetchFrom(proxy, pathname, { host });
          const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
          const problems = unless(signedIn.status === 303, `sign-in: ${signedIn.status}`);
          for (const path of ['/api/me', '/api/browse?path=/'])
            problems.push(...refused(path, await world.fetch(path, { headers: { cookie } }), 401));
          const foreign = await world.upgrade({ cookie, origin });
          problems.push(...unless(foreign === 403, `socket: ${foreign}`));
          const again = await fetchFrom(proxy, pathname, { host });
          problems.push(...refused('link again', again, 401));
          // The deck's own names, rebound ones and other previews get nothing from the proxy.
          for (const name of [
            `127.0.0.1:${world.deck.port}`,
            `127.0.0.1:${proxy}`,
            `localhost:${proxy}`,
            'evil.example',
          ])
            problems.push(...refused(name, await fetchFrom(proxy, '/', { host: name, cookie }), 421));
          problems.push(...refused('no cookie', await fetchFrom(proxy, '/', { host }), 401));
          const page = { host, cookie, origin: 'https://evil.example' };
          problems.push(...refused('another page', await fetchFrom(proxy, '/facts', page, 'POST'), 403));
          const seen = await fetchFrom(port, '/seen', { host: `localhost:${port}` });
          problems.push(...unless(!seen.body.includes('tugdeck-preview'), 'the app got the sign-in'));
          const { headers } = await fetchFrom(proxy, '/', { host, cookie, accept: 'text/html' });
          const ancestors = `frame-ancestors 'self' ${world.deck.origin}`;
          problems.push(
            ...unless(
              String(headers['content-security-policy']).includes(ancestors),
              'any page may frame it',
            ),
          );
          return [...problems, ...(await alive(world))];
        }),
      ),
  },
  {
    who: 'other user',
    name: 'uses the preview proxy without its sign-in',
    async run(world) {
      const port = await proxyPort(world);
      const problems = unless(port > 0, 'the policy names no proxy');
      for (const host of [`a.localhost:${port}`, `${'a'.repeat(26)}.localhost:${port}`, `127.0.0.1:${port}`])
        for (const path of ['/', '/.tugdeck/in/x', '/.tugdeck/frame.js', '//127.0.0.1:22/'])
          problems.push(...refused(`${host} ${path}`, await fetchFrom(port, path, { host }), 421));
      return problems;
    },
  },
];
