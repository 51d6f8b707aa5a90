/** Calls to devices (N52), against a push service on loopback that decrypts and counts. */
import { createECDH } from 'node:crypto';
import type { DeckPush } from '@tugdeck/machine/port';
import type { PushDevice } from '@tugdeck/protocol/areas/push';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { hostMessageSchema } from '@tugdeck/protocol/wire/host-link';
import { startPushService } from '@tugdeck/testkit/push-service';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encryptPush } from '../src/push/encrypt.ts';
import { eventOf, isQuiet } from '../src/push/events.ts';
import { Notifier } from '../src/push/notifier.ts';
import { checkEndpoint, isPublicAddress, sendPush } from '../src/push/push-service.ts';
import { control, fetchAs, pageWithSession, pairedDevice, TestPage, testPlace } from './test-server.ts';

const quiet = () => undefined;
const PROJECT = { id: 'p', path: '/p', name: 'my-app', addedAt: 0 };
const rowOf = (session: string, summary: Partial<SessionRow['summary']> = {}): SessionRow => ({
  ...{ id: session, project: 'p', agent: 'tester', title: 'A secret plan', createdAt: 0, activeAt: 0 },
  ...{ archived: false, live: true },
  summary: { v: 1, agentState: 'connected', turn: 'idle', waiting: 0, entries: 1, changedAt: 0, ...summary },
});
const needs = (session: string, since: number) =>
  rowOf(session, { turn: 'running', waiting: 1, waitingSince: since, request: 'rm -rf secret' });

let service: Awaited<ReturnType<typeof startPushService>>;
let open: Notifier[] = [];
beforeEach(async () => {
  service = await startPushService();
});
afterEach(async () => {
  for (const one of open) one.close();
  open = [];
  await service.close();
});

/** A notifier with a deck and sign-ins that the test controls. */
function world({ shown }: { shown?: object } = {}) {
  const settings = new Map<string, string>();
  const signIns = new Map<string, number>();
  let push: (message: DeckPush) => void = () => undefined;
  let sight = new Set<string>();
  let now = Date.UTC(2026, 10, 18, 12, 0);
  const commands: unknown[] = [];
  let decks = 0;
  let reads = 0;
  const notifier = new Notifier({
    machine: {
      openDeck(send) {
        decks++;
        push = send;
        send({
          type: 'whole',
          deck: {
            projects: [PROJECT],
            agents: [],
            defaultAgent: '',
            sessions: [rowOf('s'), needs('old', 1)],
          },
        });
        return { opened: Promise.resolve(), pause: quiet, resume: quiet, close: () => decks-- };
      },
      openChannel: (_session, send) => ({
        opened: Promise.resolve(),
        pause: quiet,
        resume: quiet,
        close: quiet,
        request(request) {
          if (request.type === 'follow' && shown) {
            hostMessageSchema.parse(shown);
            reads++;
            send([JSON.stringify(shown)]);
          }
          if (request.type !== 'command') return;
          commands.push(request.command);
          send([JSON.stringify({ type: 'receipt', command: request.command.id, v: 1 })]);
        },
      }),
    },
    settings: { get: (name) => settings.get(name), set: (name, value) => void settings.set(name, value) },
    signIns: {
      list: () =>
        [...signIns].map(([id, usedAt]) => ({
          ...{
            id,
            usedAt,
            createdAt: 0,
            expiresAt: 1,
            agent: '',
            address: '',
            way: 'link' as const,
            name: '',
            isLimited: false,
          },
        })),
      find: () => undefined,
      insert: () => undefined,
      used: () => undefined,
      remove: () => undefined,
      removeAll: () => undefined,
      removeOthers: () => undefined,
    },
    isInSight: (session) => sight.has(session),
    isAnywhere: () => true,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    now: () => now,
    graceMs: 0,
  });
  open.push(notifier);
  return {
    notifier,
    commands,
    decks: () => decks,
    reads: () => reads,
    settings,
    see: (...sessions: string[]) => {
      sight = new Set(sessions);
    },
    advance: (ms: number) => {
      now += ms;
    },
    row: (row: SessionRow) => push({ type: 'session', row }),
    device(name: string, wishes: Partial<PushDevice> = {}, usedAt = 0) {
      signIns.set(name, usedAt);
      notifier.save(name, service.browser(name, wishes));
    },
    signOut: (name: string) => void signIns.delete(name),
    /** Everything received since, once all is sent. */
    async settle() {
      await notifier.idle();
      return service.received.splice(0);
    },
  };
}

describe('a message', () => {
  test('N52 is encrypted as in the example of RFC 8291', () => {
    const sender = createECDH('prime256v1');
    sender.setPrivateKey(Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'));
    const keys = {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    };
    const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url');
    const body = encryptPush(keys, 'When I grow up, I want to be a watermelon', {
      sender,
      salt,
      isPadded: false,
    });
    expect(body.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  test('N52 names the project and nothing of the conversation, and all have one size', async () => {
    const { device, row, settle } = world();
    device('phone');
    row(needs('s', 5));
    const [sent] = await settle();
    expect(sent?.message).toEqual({ title: 'my-app', body: 'Needs you', session: 's' });
    expect(sent?.headers).toMatchObject({
      ttl: '14400',
      urgency: 'high',
      topic: 's',
      'content-encoding': 'aes128gcm',
    });
    row(rowOf('s', { turn: 'running' }));
    row(rowOf('s', { lastTurn: 'error', entries: 3 }));
    const [next] = await settle();
    expect(next).toMatchObject({ message: { body: 'Failed' }, bytes: sent?.bytes });
    expect(next?.headers.urgency).toBe('normal');
  });
});

describe('the device that is called', () => {
  test('N52 one message per request over three devices: on the one used last', async () => {
    const { device, row, settle } = world();
    device('tablet', {}, 1);
    device('phone', {}, 3);
    device('laptop', {}, 2);
    row(needs('s', 5));
    row(needs('s', 5));
    row({ ...needs('s', 5), title: 'renamed' });
    expect((await settle()).map(({ browser }) => browser)).toEqual(['phone']);
    // Another request of the same session is another message.
    row(needs('s', 9));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['phone']);
  });

  test('N52 nobody about what is in sight, was answered in the meantime, or waited before', async () => {
    const { device, row, see, settle } = world();
    device('phone');
    see('s');
    row(needs('s', 5));
    row(needs('old', 1));
    expect(await settle()).toEqual([]);
    see();
    row(needs('s', 6));
    row(rowOf('s', { turn: 'running' }));
    expect(await settle()).toEqual([]);
    row(rowOf('s', { lastTurn: 'cancelled' }));
    row({ ...needs('s', 7), archived: true });
    expect(await settle()).toEqual([]);
  });

  test('N52 only for the chosen kinds, outside of quiet hours', async () => {
    const { device, row, settle, advance } = world();
    const quiet = { from: 13 * 60, until: 14 * 60, timeZone: 'Europe/Berlin' };
    device('tablet', { quiet }, 9);
    device('phone', { kinds: { needs: true, finished: true, failed: false } });
    // 12:00 UTC is 13:00 there.
    row(needs('s', 5));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['phone']);
    advance(3600_000);
    row(needs('s', 6));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['tablet']);
    row(rowOf('s', { turn: 'running' }));
    row(rowOf('s', { lastTurn: 'error', entries: 4 }));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['tablet']);
  });

  test.each<[number, number, string, boolean]>([
    [22 * 60, 7 * 60, '2026-11-18T23:00:00Z', true],
    [22 * 60, 7 * 60, '2026-11-18T06:59:00Z', true],
    [22 * 60, 7 * 60, '2026-11-18T07:00:00Z', false],
    [600, 600, '2026-11-18T10:00:00Z', false],
  ])('N52 quiet from %i until %i at %s: %s', (from, until, at, expected) => {
    expect(isQuiet({ quiet: { from, until, timeZone: 'UTC' } }, Date.parse(at))).toBe(expected);
    expect(isQuiet({ quiet: { from, until, timeZone: 'No/Zone' } }, Date.parse(at))).toBe(expected);
  });

  test.each([404, 410])(
    'N52 a device whose subscription ended (%i) is removed, and the next one is called',
    async (status) => {
      const { device, row, settle, notifier } = world();
      device('phone', {}, 2);
      device('tablet', {}, 1);
      service.answerWith('phone', status);
      row(needs('s', 5));
      expect((await settle()).map(({ browser }) => browser)).toEqual(['tablet']);
      expect(service.tried.filter((name) => name === 'phone')).toHaveLength(1);
      expect(notifier.device('phone')).toBeUndefined();
      expect(notifier.device('tablet')).toBeDefined();
    },
  );

  test('N52 a push service that asks to wait (429) is left alone that long; the next device is called', async () => {
    const { device, row, settle, advance } = world();
    device('phone', {}, 2);
    device('tablet', {}, 1);
    service.answerWith('phone', 429, 600);
    row(needs('s', 5));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['tablet']);
    const tries = service.tried.filter((name) => name === 'phone').length;
    service.answerWith('phone', 201);
    row(needs('u', 7));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['tablet']);
    expect(service.tried.filter((name) => name === 'phone')).toHaveLength(tries);
    advance(601_000);
    row(needs('v', 8));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['phone']);
  });

  test('N52 nobody after signing out, and the deck is followed only while a device wants messages', async () => {
    const { device, row, settle, signOut, notifier, decks, settings } = world();
    expect([decks(), settings.size]).toEqual([0, 0]);
    device('phone', {}, 2);
    device('tablet', {}, 1);
    expect(decks()).toBe(1);
    signOut('phone');
    row(needs('s', 5));
    expect((await settle()).map(({ browser }) => browser)).toEqual(['tablet']);
    notifier.remove('tablet');
    expect(decks()).toBe(0);
  });
});

describe('an answer in the notification', () => {
  const snapshot = (request: object = {}) => ({
    type: 'snapshot',
    snapshot: {
      ...takeSnapshot(EMPTY, { tail: 1, receipts: false }),
      nextSeq: 1,
      entries: [
        {
          ...{ id: 'r1', seq: 0, rev: 0, kind: 'permission', status: 'partial', at: 5 },
          request: {
            ...{ status: 'pending', shown: 'h1', tool: 'Bash', toolKind: 'shell', title: 'Run npm test' },
            fields: [{ label: 'Command', value: 'npm test', form: 'code' }],
            ...{ options: [], input: { command: 'npm test' }, canEdit: true, canComment: true },
            ...request,
          },
        },
      ],
    },
  });
  const press = { session: 's', entry: 'r1', shown: 'h1', behavior: 'allow' } as const;

  test('N52 is offered where it was turned on, for a permission that is shown whole', async () => {
    const { device, row, settle, notifier, commands, advance } = world({ shown: snapshot() });
    device('phone', { answers: true });
    row(needs('s', 5));
    const [sent] = await settle();
    expect(sent?.message).toEqual({
      ...{ title: 'my-app', body: 'Bash: npm test', session: 's' },
      request: { entry: 'r1', shown: 'h1' },
    });
    await expect(notifier.answer('phone', press)).rejects.toThrow('too soon');
    advance(1_000);
    await expect(notifier.answer('tablet', press)).rejects.toThrow('not offered');
    await expect(notifier.answer('phone', { ...press, shown: 'h2' })).rejects.toThrow('not offered');
    await expect(notifier.answer('phone', { ...press, session: 't' })).rejects.toThrow('not offered');
    await notifier.answer('phone', press);
    expect(commands).toEqual([
      expect.objectContaining({
        kind: 'request.answer',
        entry: 'r1',
        shown: 'h1',
        answer: { type: 'permission', behavior: 'allow' },
      }),
    ]);
    // Once.
    await expect(notifier.answer('phone', press)).rejects.toThrow('not offered');
  });

  test.each<[string, object]>([
    [
      'a long command',
      {
        fields: [{ label: 'Command', value: 'x'.repeat(121), form: 'code' }],
        input: { command: 'x'.repeat(121) },
      },
    ],
    [
      'two lines',
      { fields: [{ label: 'Command', value: 'a\nb', form: 'code' }], input: { command: 'a\nb' } },
    ],
    [
      'invisible letters',
      { fields: [{ label: 'Command', value: 'a\u202eb', form: 'code' }], input: { command: 'a\u202eb' } },
    ],
    ['more input than is shown', { input: { command: 'npm test', env: 'x' } }],
    ['other input than is shown', { input: { command: 'rm -rf /' } }],
    ['a path outside', { blockedPath: '/etc' }],
    ['no field', { fields: [] }],
  ])('N52 is not offered for %s', async (_what, request) => {
    const { device, row, settle, reads } = world({ shown: snapshot(request) });
    device('phone', { answers: true });
    row(needs('s', 5));
    const [sent] = await settle();
    expect(sent?.message).toEqual({ title: 'my-app', body: 'Needs you', session: 's' });
    expect(reads()).toBe(1);
  });
});

describe('a push service', () => {
  test.each([
    'http://push.example/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://10.0.0.1/x',
    'https://2130706433/x',
    'https://localhost/x',
    'https://user@push.example/x',
    'ftp://push.example/x',
    'nonsense',
  ])('N52 %s is not called', (endpoint) => {
    expect(() => checkEndpoint(endpoint, false)).toThrow('no public https address');
  });

  test('N52 only public addresses are connected to, whatever the name says', async () => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '100.64.0.1',
      '169.254.169.254',
      '192.168.1.1',
      '::1',
      'fd00::1',
      'fe80::1',
      '::ffff:10.0.0.1',
      '2002:7f00:1::',
      '0.0.0.0',
      '255.255.255.255',
    ])
      expect(isPublicAddress(address), address).toBe(false);
    for (const address of ['93.184.216.34', '2606:2800:220:1::1'])
      expect(isPublicAddress(address), address).toBe(true);
    // The name resolves to loopback on every system.
    const message = { body: Buffer.alloc(0), authorization: '', isUrgent: false, topic: 't' };
    const sent = await sendPush({ endpoint: 'https://x.localhost/y', ...message }, false);
    expect(sent).toMatchObject({ result: 'refused' });
  });
});

test('N52 a turn that the user stopped, and rows of other programs, are not sent', () => {
  const running = rowOf('s', { turn: 'running' });
  expect(eventOf(running, rowOf('s', { lastTurn: 'cancelled' }))).toBeUndefined();
  expect(eventOf(undefined, rowOf('s', { lastTurn: 'completed' }))).toBeUndefined();
  expect(eventOf(running, { ...rowOf('s', { lastTurn: 'completed' }), origin: 'foreign' })).toBeUndefined();
  expect(eventOf(running, rowOf('s', { lastTurn: 'completed' }))).toMatchObject({ kind: 'finished' });
});

test('N52 N53 a page subscribes only itself, and an unconfigured server sends nothing', async () => {
  const place = testPlace();
  try {
    const server = await place.start({ config: { port: 0, privatePush: true } });
    const { page } = await pageWithSession(place, server);
    expect((await page.welcome()).push).toBeUndefined();
    await page.request({ type: 'feed.open', channel: 5, feed: 'push', about: {} });
    expect(await page.push(5)).toEqual({ state: { key: expect.stringMatching(/^[\w-]{87}$/) } });
    await page.call('push', 5, { type: 'save', device: service.browser('desk') });
    await page.call('push', 5, { type: 'test' });
    expect(service.received.map(({ browser, message }) => [browser, message.title])).toEqual([
      ['desk', 'Tugdeck'],
    ]);
    const visit = await pairedDevice(place);
    const phone = await TestPage.open(server, visit);
    await phone.request({ type: 'feed.open', channel: 6, feed: 'push', about: {} });
    expect(await phone.push(6)).not.toHaveProperty('state.device');
    await expect(phone.call('push', 6, { type: 'test' })).rejects.toThrow('off on this device');
    const bad = { ...service.browser('bad'), keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } };
    await expect(phone.call('push', 6, { type: 'save', device: bad })).rejects.toThrow('key is not valid');
    // An answer that no notification offered.
    const url = `${server.origin}/api/answer?session=s&entry=e&shown=h&behavior=allow`;
    const answer = await fetchAs(visit, url, { method: 'POST', headers: { origin: server.origin } });
    expect(answer.status).toBe(404);
    expect(await control(place.root, { type: 'status' })).toBeDefined();
  } finally {
    await place.clear();
  }
});
