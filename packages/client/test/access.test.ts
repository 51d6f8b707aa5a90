import { describe, expect, test } from 'vitest';
import { Access } from '../src/access.ts';
import type { CredentialStore, Credentials } from '../src/credentials.ts';

const INSTANCE = 'i'.repeat(22);
const GRANT = { signIn: 's'.repeat(22), instance: INSTANCE, secret: 'k'.repeat(43), now: 1 };

function storeWith(instance: string | undefined): CredentialStore {
  const of = (name: string): Credentials => ({ signIn: 's', instance: name, mac: async () => '' });
  let kept = instance === undefined ? undefined : of(instance);
  return {
    readAhead: () => undefined,
    read: async () => kept,
    async keep(grant) {
      kept = of(grant.instance);
      return kept;
    },
    forget: async () => undefined,
  };
}

/** Redeems a token, and notes whether what lies in this origin was declared foreign. */
async function entering(instance: string | undefined): Promise<{ access: Access; entered: number }> {
  let entered = 0;
  const access = new Access({
    origin: 'http://127.0.0.1:1',
    store: storeWith(instance),
    entered: async () => void entered++,
    fetch: async () => new Response(JSON.stringify(GRANT)),
  });
  expect(await access.redeem('token')).toBe(true);
  return { access, entered };
}

describe('X1 the storage of an address that somebody else may have had', () => {
  test('X1 is not ours with the first sign-in to an instance', async () => {
    expect((await entering(undefined)).entered).toBe(1);
    expect((await entering('o'.repeat(22))).entered).toBe(1);
  });

  test('X1 is ours with a further sign-in to the same instance', async () => {
    expect((await entering(INSTANCE)).entered).toBe(0);
  });

  test('X1 nothing is sent before it was dealt with', async () => {
    let clean: () => void = () => undefined;
    const access = new Access({
      origin: 'http://127.0.0.1:1',
      store: storeWith(undefined),
      entered: () => new Promise((resolve) => (clean = resolve)),
      fetch: async () => new Response(JSON.stringify(GRANT)),
    });
    const redeeming = access.redeem('token');
    let isLoaded = false;
    const loading = access.load().then(() => (isLoaded = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isLoaded).toBe(false);
    clean();
    await redeeming;
    await loading;
    expect(isLoaded).toBe(true);
  });
});
