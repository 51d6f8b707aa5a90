/** Attacks by a compromised page that is signed in. */
import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { type Attack, alive, refused, unless, withVisitor } from './attack.ts';

export const PAGE: readonly Attack[] = [
  {
    who: 'page',
    name: 'sends invalid frames: torn, nested, not UTF-8, with prototypes, of unknown feeds, too large',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const problems: string[] = [];
        const expectCode = async (what: string, code: string, send: () => void) => {
          const reply = await visitor.errorAfter(send);
          problems.push(...unless(reply === code, `${what}: ${reply}`));
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
    name: 'opens endless channels, and unknown sessions and feeds',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        const problems: string[] = [];
        const codes = new Set<string>();
        for (let channel = 1; channel <= 80; channel++) {
          const reply = await visitor.request({
            type: 'feed.open',
            channel,
            feed: 'git',
            about: { project },
          });
          codes.add(reply.type === 'error' ? reply.code : reply.type);
        }
        problems.push(...unless(codes.has('TOO_MANY'), `channels are not limited: ${[...codes]}`));
        for (const session of ['../../../etc', 'x\u0000', '%2e%2e', 'constructor']) {
          const reply = await visitor.request({ type: 'channel.open', channel: 9_000, session });
          problems.push(...unless(reply.type === 'error', `session ${session}: ${reply.type}`));
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
    name: 'adds invalid projects: relative, NUL, file, device, too long',
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
          const reply = await visitor.request({ type: 'project.add', path });
          problems.push(...unless(reply.type === 'error', `${path.slice(0, 20)}: ${reply.type}`));
        }
        return problems;
      }),
  },
  {
    who: 'page',
    name: 'reads, writes, lists, renames and uploads outside the project',
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
            const reply = await visitor.call('files', 1, ask);
            const isHarmless = ask.do === 'rename' && (path === 'pipe' || path === 'passwd-link');
            problems.push(
              ...unless(reply !== 'ok' || isHarmless, `${JSON.stringify(ask).slice(0, 60)}: ${reply}`),
            );
          }
        }
        problems.push(...unless(!existsSync(join(root, '..', 'outside.txt')), 'wrote outside'));
        return problems;
      }),
  },
  {
    who: 'page',
    name: 'searches with endless and with broken patterns',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        writeFileSync(join(world.deck.sandbox.project, 'slow.txt'), `${'a'.repeat(200)}!\n`.repeat(50));
        await visitor.openFeed(1, 'files', { project });
        const query = (text: string) => ({ do: 'search', search: 's', query: { text, isRegex: true } });
        const problems: string[] = [];
        for (const slow of ['^(a+)+$', '(a|aa)+$', '(.*a){30}b', '^(?:(a|a?)+)+!!$']) {
          const searching = visitor.call('files', 1, query(slow));
          // Others are served during the search.
          problems.push(...(await alive(world)));
          const reply = await searching;
          problems.push(...unless(reply === 'ok' || reply === 'SEARCH_TOO_SLOW', `${slow}: ${reply}`));
        }
        for (const broken of ['([', '(?<x', '\\u{110000}', 'a\nb', 'a\0b']) {
          const reply = await visitor.call('files', 1, query(broken));
          problems.push(...unless(reply === 'SEARCH_INVALID', `${JSON.stringify(broken)}: ${reply}`));
        }
        await visitor.openFeed(2, 'search', {});
        for (const text of [
          '"',
          'a" OR "b',
          'NEAR(',
          '*',
          'x'.repeat(200),
          '\u0000',
          "'; DROP TABLE x; --",
        ]) {
          const reply = await visitor.call('search', 2, { query: text });
          problems.push(
            ...unless(reply === 'ok', `searching for ${JSON.stringify(text.slice(0, 20))}: ${reply}`),
          );
        }
        const long = await visitor.call('search', 2, { query: 'x'.repeat(10_000) });
        problems.push(...unless(long === 'INVALID_MESSAGE', `a question of 10,000 characters: ${long}`));
        return [...problems, ...(await alive(world))];
      }),
  },
  {
    who: 'page',
    name: 'changes settings through a prototype, and to invalid values',
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
              (await visitor.call('settings', 1, { type: 'set', path, value: 1 })) !== 'ok',
              path.join('.'),
            ),
          );
        const text = await visitor.call('settings', 1, { type: 'set', path: ['port'], value: 'x' });
        return [...problems, ...unless(text !== 'ok', 'an invalid port')];
      }),
  },
];
