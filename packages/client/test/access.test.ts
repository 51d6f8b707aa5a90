import { describe, expect, test } from 'vitest';
import { Access } from '../src/access.ts';
import type { CredentialStore, Credentials } from '../src/credentials.ts';

const INSTANCE = 'i'.repeat(22);
const GRANT = { signIn: 's'.repeat(22), instance: INSTANCE, secret: 'k'.repeat(43), now: 1 };

function storeWith(instance: string | undefined): CredentialStore {
  const of = (name: string): Credentials => ({ signIn: 's', instance: name, mac: async () => '' });
  let stored = instance === undefined ? undefined : of(instance);
  return {
    preload: () => undefined,
    read: async () => stored,
    signInName: () => undefined,
    async save(grant) {
      stored = of(grant.instance);
      return stored;
    },
    clear: async () => undefined,
  };
}

/** Redeems a token and records whether the storage of this origin had to be cleared. */
async function redeem(instance: string | undefined): Promise<{ access: Access; clears: number }> {
  let clears = 0;
  const access = new Access({
    origin: 'http://127.0.0.1:1',
    store: storeWith(instance),
    onNewInstance: async () => void clears++,
    fetch: async () => new Response(JSON.stringify(GRANT)),
  });
  expect(await access.redeem('token')).toBe(true);
  return { access, clears };
}

describe('X26 storage of an origin that another program may have used', () => {
  test('X26 is cleared on the first sign-in to an instance', async () => {
    expect((await redeem(undefined)).clears).toBe(1);
    expect((await redeem('o'.repeat(22))).clears).toBe(1);
  });

  test('X26 is kept on a further sign-in to the same instance', async () => {
    expect((await redeem(INSTANCE)).clears).toBe(0);
  });

  test('X26 sends nothing until the storage is cleared', async () => {
    let clean: () => void = () => undefined;
    const access = new Access({
      origin: 'http://127.0.0.1:1',
      store: storeWith(undefined),
      onNewInstance: () => new Promise((resolve) => (clean = resolve)),
      fetch: async () => new Response(JSON.stringify(GRANT)),
    });
    const redeeming = access.redeem('token');
    let isLoaded = false;
    const loading = access.hasCredentials().then(() => (isLoaded = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isLoaded).toBe(false);
    clean();
    await redeeming;
    await loading;
    expect(isLoaded).toBe(true);
  });
});

describe('X25 a clock that is changed while connected', () => {
  const MINUTE = 60_000;

  /** A server that accepts only requests of the current minute and reports its time on request. */
  async function setting() {
    const world = {
      server: 10 * MINUTE,
      page: 10 * MINUTE,
      timeRequests: 0,
      answers: true,
      sent: [] as number[],
    };
    const access = new Access({
      origin: 'http://127.0.0.1:1',
      store: storeWith(undefined),
      now: () => world.page,
      fetch: async (_address, init) => {
        const { authorization } = (init?.headers ?? {}) as { authorization?: string };
        if (authorization === undefined) return new Response(JSON.stringify({ ...GRANT, now: world.server }));
        const at = Number(authorization.split('.')[1]);
        world.sent.push(at);
        return new Response('{}', { status: Math.abs(at - world.server) > MINUTE ? 401 : 200 });
      },
    });
    await access.redeem('token');
    access.serverProven(() => {
      world.timeRequests++;
      if (world.answers) queueMicrotask(() => access.setServerTime(world.server));
      return true;
    });
    return { world, access };
  }

  for (const [which, by] of [
    ['page', 61 * MINUTE],
    ['page', -61 * MINUTE],
    ['server', 61 * MINUTE],
    ['server', -9 * MINUTE],
  ] as const) {
    test(`X25 synchronizes the clock and repeats the request (${which} ${by / MINUTE} min)`, async () => {
      const { world, access } = await setting();
      expect((await access.fetch('/api/me')).status).toBe(200);
      expect(world.timeRequests).toBe(0);
      world[which] += by;
      // All refused requests share one time request.
      const both = await Promise.all([access.fetch('/api/me'), access.fetch('/api/me')]);
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      expect(world.timeRequests).toBe(1);
      // Signed URLs use the same clock.
      const until = Number((await access.signAddress('/api/blob')).split('.')[1]);
      expect(until - world.server).toBeGreaterThan(0);
      expect(until - world.server).toBeLessThanOrEqual(10 * MINUTE);
    });
  }

  test('X25 does not repeat a request refused for another reason', async () => {
    const { world, access } = await setting();
    world.page += 61 * MINUTE;
    access.setServerTime(world.server);
    world.sent = [];
    world.server += 61 * MINUTE;
    access.disconnected();
    access.serverProven(() => false);
    expect((await access.fetch('/api/me')).status).toBe(401);
    expect(world.sent).toHaveLength(1);
  });
});

describe('X25 a socket opened with only the name of the sign-in', () => {
  const withName = (name: string | undefined, stored: string | undefined) =>
    new Access({
      origin: 'http://127.0.0.1:1',
      store: {
        ...storeWith(undefined),
        signInName: () => name,
        read: async () =>
          stored === undefined
            ? undefined
            : { signIn: stored, instance: INSTANCE, mac: async (text) => text },
      },
    });

  test('X25 opens before the key is read', async () => {
    const opening = withName('mine', 'mine').startHandshake();
    expect(opening?.query).toMatch(/^signIn=mine&nonce=[\w-]{22}$/);
    const stranger = { nonce: 'n'.repeat(22), proof: 'p'.repeat(43), now: 1 };
    expect(await opening?.answer(JSON.stringify(stranger))).toBeUndefined();
  });

  test.each([['another'], [undefined]])('X25 sends no proof when the key belongs to %s', async (stored) => {
    await expect(withName('mine', stored).startHandshake()?.answer('{}')).rejects.toThrow('another sign-in');
  });

  test('X25 is not opened without a name, nor while a sign-in link is redeemed', () => {
    expect(withName(undefined, 'mine').startHandshake()).toBeUndefined();
    const access = new Access({
      origin: 'http://127.0.0.1:1',
      store: { ...storeWith(undefined), signInName: () => 'mine' },
      fetch: () => new Promise(() => undefined),
    });
    void access.redeem('token');
    expect(access.startHandshake()).toBeUndefined();
  });
});
