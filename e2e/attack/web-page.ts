/** Attacks by a hostile web page in the same browser. */
import { type Attack, alive, refused, unless } from './attack.ts';

export const WEB_PAGE: readonly Attack[] = [
  {
    who: 'web page',
    name: 'sends requests without a proof, with a made-up one, or with a cookie',
    async run(world) {
      const { signIn } = world.visit;
      const problems: string[] = [];
      for (const headers of [
        {},
        { cookie: `tugdeck=${signIn}` },
        { authorization: `Tugdeck ${signIn}.${Date.now()}.${'a'.repeat(43)}` },
        { authorization: `Bearer ${signIn}` },
      ] as Record<string, string>[]) {
        for (const path of [
          '/api/me',
          '/api/files?project=x',
          '/api/browse?path=/',
          '/api/blob/a/b',
          '/api/file/raw',
        ])
          problems.push(...refused(path, await world.fetch(path, { headers }), 401));
        const socket = await world.upgrade({ ...headers, origin: world.origin }, '/ws');
        problems.push(...unless(socket === 401, 'socket'));
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
        `evil.${world.host}`,
        `${world.host}.`,
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
        const status = await world.upgrade({ host, origin: world.origin });
        problems.push(...unless(status === 403 || status === 400, `socket with Host ${host}: ${status}`));
      }
      return problems;
    },
  },
  {
    who: 'web page',
    name: 'opens a socket or posts from another origin, with the user’s own sign-in',
    async run(world) {
      const problems: string[] = [];
      const { origin } = world;
      const { port } = world.deck;
      const other = origin === world.deck.origin ? (await world.atSecondOrigin()).origin : world.deck.origin;
      const origins = [
        other,
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
        const status = await world.upgrade({ origin: foreign });
        problems.push(...unless(status === 403, `socket from ${foreign}: ${status}`));
        const post = await world.own('/api/sign-out', { method: 'POST', headers: { origin: foreign } });
        problems.push(...refused(`post from ${foreign}`, post, 403));
      }
      problems.push(...unless((await world.upgrade({})) === 403, 'socket without Origin'));
      return [...problems, ...(await alive(world))];
    },
  },
  {
    who: 'web page',
    name: 'reads answers, frames the page or sniffs its types (headers of every answer)',
    async run(world) {
      const problems: string[] = [];
      for (const path of ['/', '/api/me', '/nothing']) {
        const { headers } = await world.own(path, { headers: { origin: world.origin } });
        const policy = String(headers['content-security-policy']);
        problems.push(...unless(/default-src 'none'/.test(policy), `${path}: policy`));
        problems.push(...unless(/frame-ancestors 'none'/.test(policy), `${path}: can be framed`));
        problems.push(...unless(!/unsafe-(inline|eval)/.test(policy), `${path}: unsafe policy`));
        problems.push(...unless(headers['x-content-type-options'] === 'nosniff', `${path}: sniffed`));
        problems.push(...unless(headers['access-control-allow-origin'] === undefined, `${path}: CORS`));
        problems.push(...unless(headers['cross-origin-resource-policy'] === 'same-origin', `${path}: CORP`));
      }
      const pre = await world.fetch('/api/me', {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'PUT' },
      });
      return [...problems, ...refused('preflight', pre)];
    },
  },
];
