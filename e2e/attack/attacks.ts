/**
 * Every attack with the refusal that is expected. An attack returns the words of what went wrong, or nothing; it may
 * not need anything but the world it is given, and must leave it usable for the next one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FEED } from '@tugdeck/protocol/wire/frames';
import type { Answer, Visitor, World } from './world.ts';

export interface Attack {
  readonly who: 'web page' | 'network' | 'page' | 'repository' | 'other user' | 'transcript';
  readonly name: string;
  run(world: World): Promise<readonly string[]>;
}

const SECRET = 'root:x:0:0';

/** What is wrong with an answer that should have been a refusal. */
function refused(what: string, answer: Answer, ...statuses: number[]): string[] {
  const isRefused = statuses.length > 0 ? statuses.includes(answer.status) : answer.status >= 400;
  const leaks = answer.body.includes(SECRET) ? [`${what}: gave a secret`] : [];
  return isRefused ? leaks : [`${what}: ${answer.status}`, ...leaks];
}

function unless(isFine: boolean, words: string): string[] {
  return isFine ? [] : [words];
}

async function alive(world: World): Promise<string[]> {
  return unless((await world.own('/api/me')).status === 200, 'the server answers no more');
}

async function withVisitor<T>(
  world: World,
  use: (visitor: Visitor, project: string) => Promise<T>,
): Promise<T> {
  const visitor = await world.visitor();
  try {
    const { deck } = await visitor.welcome();
    return await use(visitor, deck.projects[0]?.id ?? '');
  } finally {
    visitor.close();
  }
}

const web: readonly Attack[] = [
  {
    who: 'web page',
    name: 'asks without the cookie, or with a made-up one',
    async run(world) {
      const [name] = world.cookie.split('=');
      const problems: string[] = [];
      for (const headers of [{}, { cookie: `${name}=x` }, { cookie: 'tugdeck=1' }] as Record<
        string,
        string
      >[]) {
        for (const path of [
          '/',
          '/api/me',
          '/api/files?project=x',
          '/api/browse?path=/',
          '/api/blob/a/b',
          '/api/file/raw',
        ])
          problems.push(...refused(path, await world.ask(path, { headers }), 401));
        problems.push(
          ...unless((await world.upgrade({ ...headers, origin: world.deck.origin })) === 401, 'socket'),
        );
      }
      return problems;
    },
  },
  {
    who: 'web page',
    name: 'rebinds a name to this machine (foreign Host, with port, trailing dot, case, user part)',
    async run(world) {
      const { port } = world.deck;
      const problems: string[] = [];
      const hosts = [
        'evil.example',
        `evil.example:${port}`,
        `127.0.0.1.:${port}`,
        '127.0.0.1',
        `localhost:${port}`,
        `LOCALHOST:${port}`,
        `[::1]:${port}`,
        `127.0.0.1:${port + 1}`,
        `127.0.0.1:${port}@evil.example`,
        `0.0.0.0:${port}`,
        `127.1:${port}`,
        `2130706433:${port}`,
      ];
      for (const host of hosts) {
        problems.push(...refused(host, await world.own('/', { headers: { host } }), 403, 400));
        const status = await world.upgrade({ cookie: world.cookie, host, origin: world.deck.origin });
        problems.push(...unless(status === 403 || status === 400, `socket with Host ${host}: ${status}`));
      }
      return problems;
    },
  },
  {
    who: 'web page',
    name: 'opens a socket or posts from another origin, with the user’s own cookie',
    async run(world) {
      const problems: string[] = [];
      const { port, origin } = world.deck;
      const origins = [
        'https://evil.example',
        'null',
        `http://localhost:${port}`,
        `https://127.0.0.1:${port}`,
        `http://127.0.0.1:${port + 1}`,
        `${origin}.evil.example`,
        `${origin}/`,
        'file://',
      ];
      for (const foreign of origins) {
        const status = await world.upgrade({ cookie: world.cookie, origin: foreign });
        problems.push(...unless(status === 403, `socket from ${foreign}: ${status}`));
        const post = await world.own('/api/sign-out', { method: 'POST', headers: { origin: foreign } });
        problems.push(...refused(`post from ${foreign}`, post, 403));
      }
      problems.push(
        ...unless((await world.upgrade({ cookie: world.cookie })) === 403, 'socket without Origin'),
      );
      return [...problems, ...(await alive(world))];
    },
  },
  {
    who: 'web page',
    name: 'reads answers, frames the page or sniffs its types (headers of every answer)',
    async run(world) {
      const problems: string[] = [];
      for (const path of ['/', '/api/me', '/nothing']) {
        const { headers } = await world.own(path, { headers: { origin: world.deck.origin } });
        const policy = String(headers['content-security-policy']);
        problems.push(...unless(/default-src 'none'/.test(policy), `${path}: policy`));
        problems.push(...unless(/frame-ancestors 'none'/.test(policy), `${path}: can be framed`));
        problems.push(...unless(!/unsafe-(inline|eval)/.test(policy), `${path}: unsafe policy`));
        problems.push(...unless(headers['x-content-type-options'] === 'nosniff', `${path}: sniffed`));
        problems.push(...unless(headers['access-control-allow-origin'] === undefined, `${path}: CORS`));
        problems.push(...unless(headers['cross-origin-resource-policy'] === 'same-origin', `${path}: CORP`));
      }
      const pre = await world.ask('/api/me', {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'PUT' },
      });
      return [...problems, ...refused('preflight', pre)];
    },
  },
  {
    who: 'network',
    name: 'uses a token twice, guesses one, or hides a path in one',
    async run(world) {
      const path = await world.freshPath();
      const first = await world.ask(path);
      const problems = unless(first.status === 302, `first use: ${first.status}`);
      const flags = String(first.headers['set-cookie']?.[0]);
      for (const flag of ['HttpOnly', 'SameSite=Strict', 'Path=/'])
        problems.push(...unless(flags.includes(flag), `cookie lacks ${flag}`));
      problems.push(...unless(!/domain=/i.test(flags), 'cookie names a domain'));
      for (const token of [
        path,
        '/in/',
        '/in/a',
        `/in/${'A'.repeat(43)}`,
        '/in/..%2f..%2fetc%2fpasswd',
        '/in/%00',
      ])
        problems.push(...refused(token, await world.ask(token)));
      return problems;
    },
  },
  {
    who: 'network',
    name: 'climbs out of the page’s files',
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
      const { port } = world.deck;
      const head = `Host: 127.0.0.1:${port}\r\nCookie: ${world.cookie}\r\nOrigin: ${world.deck.origin}\r\n`;
      const problems: string[] = [];
      const first = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
      const both = await world.raw(
        `POST /api/sign-out HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      );
      problems.push(...unless(first(both) >= 400 || both === '', `length and chunks: ${first(both)}`));
      const long = await world.raw(`GET /api/me HTTP/1.1\r\n${head}X: ${'a'.repeat(200_000)}\r\n\r\n`);
      problems.push(...unless(first(long) === 431 || long === '', `huge head: ${first(long)}`));
      const torn = await world.raw(`GET /api/me\r\nX HTTP/1.1\r\n${head}\r\n`);
      problems.push(...unless(first(torn) >= 400 || torn === '', `torn line: ${first(torn)}`));
      for (const method of ['TRACE', 'PUT', 'DELETE', 'PATCH'])
        problems.push(
          ...refused(method, await world.own('/api/me', { method, headers: { origin: world.deck.origin } })),
        );
      const bomb = gzipSync(Buffer.alloc(50_000_000)).toString('latin1');
      const packed = await world.own('/api/sign-out-nothing', {
        method: 'POST',
        headers: {
          origin: world.deck.origin,
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

const page: readonly Attack[] = [
  {
    who: 'page',
    name: 'sends frames that are none: torn, nested, not UTF-8, with prototypes, of unknown feeds, too large',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const problems: string[] = [];
        const expectCode = async (what: string, code: string, send: () => void) => {
          const told = await visitor.errorAfter(send);
          problems.push(...unless(told === code, `${what}: ${told}`));
        };
        await expectCode('text', 'INVALID_MESSAGE', () => visitor.socket.send('text'));
        await expectCode('short', 'INVALID_MESSAGE', () => visitor.socket.send(new Uint8Array([0x50])));
        await expectCode('bytes', 'INVALID_MESSAGE', () =>
          visitor.socket.send(new Uint8Array([0x50, 0, 0, 0, 0, 0xff, 0xfe])),
        );
        await expectCode('nested', 'INVALID_MESSAGE', () =>
          visitor.send(FEED.deck, 0, `${'['.repeat(5_000)}${']'.repeat(5_000)}`),
        );
        await expectCode('prototype', 'INVALID_MESSAGE', () =>
          visitor.send(FEED.deck, 0, '{"__proto__":{"type":"hello"},"id":"x"}'),
        );
        await expectCode('unknown feed', 'INVALID_MESSAGE', () => visitor.send(0x99, 0, {}));
        await expectCode('no channel', 'CHANNEL_NOT_OPEN', () =>
          visitor.send(FEED.git, 77, { id: 'a', ask: {} }),
        );
        await expectCode('too large', 'PAYLOAD_TOO_LARGE', () =>
          visitor.send(FEED.deck, 0, 'x'.repeat(2_000_000)),
        );
        return [...problems, ...(await alive(world))];
      }),
  },
  {
    who: 'page',
    name: 'sends one message of 20 MB',
    async run(world) {
      const visitor = await world.visitor();
      const closed = new Promise((resolve) => visitor.socket.once('close', resolve));
      visitor.socket.send(new Uint8Array(20 * 1024 * 1024));
      await closed;
      return alive(world);
    },
  },
  {
    who: 'page',
    name: 'opens channels without end, and sessions and feeds that are not there',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        const problems: string[] = [];
        const codes = new Set<string>();
        for (let channel = 1; channel <= 80; channel++) {
          const told = await visitor.request({ type: 'feed.open', channel, feed: 'git', about: { project } });
          codes.add(told.type === 'error' ? told.code : told.type);
        }
        problems.push(...unless(codes.has('TOO_MANY'), `no end of channels: ${[...codes]}`));
        for (const session of ['../../../etc', 'x\u0000', '%2e%2e', 'constructor']) {
          const told = await visitor.request({ type: 'channel.open', channel: 9_000, session });
          problems.push(...unless(told.type === 'error', `session ${session}: ${told.type}`));
        }
        const made = await visitor.request({
          type: 'session.create',
          session: '../x',
          project,
          agent: 'demo',
        });
        problems.push(...unless(made.type === 'error', 'a session named by a path'));
        return problems;
      }),
  },
  {
    who: 'page',
    name: 'adds what is no project: relative, NUL, file, device, too long',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const problems: string[] = [];
        for (const path of [
          'x',
          '../x',
          '',
          '/etc/passwd',
          '/dev/null',
          '/tmp/\u0000',
          `/${'a'.repeat(4_000)}`,
          '~root/x',
        ]) {
          const told = await visitor.request({ type: 'project.add', path });
          problems.push(...unless(told.type === 'error', `${path.slice(0, 20)}: ${told.type}`));
        }
        return problems;
      }),
  },
  {
    who: 'page',
    name: 'reads, writes, lists, renames and uploads outside of the project',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        const root = world.deck.sandbox.project;
        symlinkSync('/etc', join(root, 'etc-link'));
        symlinkSync('/etc/passwd', join(root, 'passwd-link'));
        execFileSync('mkfifo', [join(root, 'pipe')]);
        await visitor.openFeed(1, 'files', { project });
        const problems: string[] = [];
        const paths = [
          '../outside.txt',
          '..',
          '/etc/passwd',
          'a/../../outside.txt',
          './../outside.txt',
          'etc-link/passwd',
          'passwd-link',
          'x\u0000y',
          'pipe',
          `${'d/'.repeat(3_000)}x`,
        ];
        const headers = { origin: world.deck.origin, 'content-type': 'application/vnd.tugdeck.text' };
        for (const path of paths) {
          const query = `project=${project}&path=${encodeURIComponent(path)}`;
          problems.push(...refused(`read ${path.slice(0, 30)}`, await world.own(`/api/file/text?${query}`)));
          problems.push(...refused(`raw ${path.slice(0, 30)}`, await world.own(`/api/file/raw?${query}`)));
          const write = { method: 'PUT', headers, body: 'owned' };
          const answer = await world.own(`/api/file/text?${query}`, write);
          problems.push(...refused(`write ${path.slice(0, 30)}`, answer));
          for (const ask of [
            { do: 'list', folder: path },
            { do: 'create', path: `${path}/new`, kind: 'file' },
            { do: 'rename', from: path, to: 'taken' },
            { do: 'rename', from: 'README.md', to: path },
          ]) {
            const told = await visitor.ask('files', 1, ask);
            const isHarmless = ask.do === 'rename' && (path === 'pipe' || path === 'passwd-link');
            problems.push(
              ...unless(told !== 'ok' || isHarmless, `${JSON.stringify(ask).slice(0, 60)}: ${told}`),
            );
          }
        }
        problems.push(...unless(!existsSync(join(root, '..', 'outside.txt')), 'wrote outside'));
        return problems;
      }),
  },
  {
    who: 'page',
    name: 'searches with patterns that take for ever, and with broken ones',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        writeFileSync(join(world.deck.sandbox.project, 'slow.txt'), `${'a'.repeat(200)}!\n`.repeat(50));
        await visitor.openFeed(1, 'files', { project });
        const query = (text: string) => ({ do: 'search', search: 's', query: { text, isRegex: true } });
        await visitor.ask('files', 1, query('^(a+)+$'));
        await visitor.ask('files', 1, query('(a|aa)+$'));
        const broken = await visitor.ask('files', 1, query('(['));
        const problems = unless(broken !== 'ok' || broken.length > 0, 'broken pattern');
        await visitor.openFeed(2, 'search', {});
        return [...problems, ...(await alive(world))];
      }),
  },
  {
    who: 'page',
    name: 'changes settings by a prototype, and to what is not understood',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        await visitor.openFeed(1, 'settings', {});
        const problems: string[] = [];
        for (const path of [
          ['__proto__', 'polluted'],
          ['constructor', 'prototype', 'x'],
          ['agents', '__proto__', 'x'],
        ])
          problems.push(
            ...unless(
              (await visitor.ask('settings', 1, { type: 'set', path, value: 1 })) !== 'ok',
              path.join('.'),
            ),
          );
        const text = await visitor.ask('settings', 1, { type: 'set', path: ['port'], value: 'x' });
        return [...problems, ...unless(text !== 'ok', 'a port that is none')];
      }),
  },
];

const here: readonly Attack[] = [
  {
    who: 'repository',
    name: 'runs programs by its own configuration when its status, diff and log are read',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        const root = world.deck.sandbox.project;
        const mark = join(root, '..', 'repository-ran');
        const git = (...args: string[]) =>
          execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
            stdio: 'ignore',
          });
        git('init', '-q');
        git('add', '-A', '--', '.', ':!pipe');
        git('commit', '-qm', 'first');
        const program = join(root, '..', 'evil.sh');
        writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
        for (const [name, value] of [
          ['core.fsmonitor', program],
          ['core.hooksPath', join(root, '..')],
          ['diff.external', program],
          ['core.pager', program],
          ['filter.evil.clean', program],
          ['filter.evil.smudge', program],
          ['diff.evil.textconv', program],
          ['alias.status', `!${program}`],
          ['core.sshCommand', program],
          ['gpg.program', program],
        ])
          git('config', name ?? '', value ?? '');
        writeFileSync(join(root, '.gitattributes'), '* filter=evil diff=evil\n');
        writeFileSync(join(root, '-rf'), 'x');
        writeFileSync(join(root, 'new\nline'), 'x');
        await visitor.openFeed(1, 'git', { project });
        for (const ask of [{ type: 'status' }, { type: 'branches' }, { type: 'log' }, { type: 'stashes' }])
          await visitor.ask('git', 1, ask);
        return unless(!existsSync(mark), 'a program of the repository ran');
      }),
  },
  {
    who: 'other user',
    name: 'looks into the data directory, the logs and the sockets',
    async run(world) {
      const problems: string[] = [];
      const walk = (path: string) => {
        const stat = lstatSync(path);
        if (stat.isSymbolicLink()) return;
        const open = stat.mode & 0o077;
        problems.push(
          ...unless(open === 0, `${path.split('/').slice(-2).join('/')} is open (${open.toString(8)})`),
        );
        if (stat.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
      };
      const { data, runtime } = world.deck.sandbox;
      for (const name of readdirSync(data)) if (name !== 'config.json') walk(join(data, name));
      for (const name of readdirSync(runtime)) walk(join(runtime, name));
      return problems;
    },
  },
  {
    who: 'transcript',
    name: 'lies in the agents’ folders with broken, huge and lying lines',
    async run(world) {
      const folder = join(world.deck.sandbox.home, '.claude', 'projects', '-p');
      mkdirSync(folder, { recursive: true });
      const file = join(folder, '11111111-1111-4111-8111-111111111111.jsonl');
      const loop = [
        {
          type: 'user',
          uuid: 'a',
          parentUuid: 'b',
          cwd: world.deck.sandbox.project,
          message: { content: '<script>' },
        },
        { type: 'user', uuid: 'b', parentUuid: 'a', message: { content: { toString: null } } },
        { type: { toString: 1 }, uuid: [] },
      ];
      const deep = `${'['.repeat(100_000)}`;
      writeFileSync(
        file,
        [...loop.map((line) => JSON.stringify(line)), deep, 'x'.repeat(3_000_000), '\u0000'].join('\n'),
      );
      symlinkSync('/etc/passwd', join(folder, '22222222-2222-4222-8222-222222222222.jsonl'));
      return withVisitor(world, async () => alive(world));
    },
  },
];

export const ATTACKS: readonly Attack[] = [...web, ...page, ...here];
