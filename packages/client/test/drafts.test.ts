import { describe, expect, test } from 'vitest';
import { FakeStorage, World } from './simulated-world.ts';

const saves = (world: World) =>
  world.requests.flatMap((request) => (request.type === 'draft.save' ? [request.text] : []));

describe('drafts', () => {
  test('C9 are saved in the browser at once and on the server when typing pauses', async () => {
    const world = new World();
    const storage = new FakeStorage();
    const client = world.page({ storage });
    await world.settle();
    for (const text of ['h', 'he', 'hel']) {
      client.saveDraft('s', text);
      world.clock.advance(100);
      await world.settle();
    }
    expect(client.draft('s')).toBe('hel');
    expect([...storage.items.values()].join()).toContain('hel');
    expect(saves(world)).toEqual([]);
    world.clock.advance(400);
    await world.settle();
    expect(saves(world)).toEqual(['hel']);
    expect(world.drafts).toEqual({ s: 'hel' });
  });

  test('D5 survive a reload before the server has them, and win over its older ones', async () => {
    const world = new World();
    world.drafts = { s: 'old', other: 'theirs' };
    const storage = new FakeStorage();
    const first = world.page({ storage });
    await world.settle();
    expect(first.draft('s')).toBe('old');
    world.cutAll();
    first.saveDraft('s', 'newer');
    first.dispose();
    const second = world.page({ storage });
    expect(second.draft('s')).toBe('newer');
    await world.settle();
    expect(second.draft('s')).toBe('newer');
    expect(second.draft('other')).toBe('theirs');
    expect(world.drafts).toEqual({ s: 'newer', other: 'theirs' });
  });

  test('D5 use the copy of the server once saved', async () => {
    const world = new World();
    world.drafts = { s: 'mine' };
    const client = world.page();
    await world.settle();
    world.cutAll();
    world.drafts = { s: 'typed elsewhere' };
    world.clock.advance(500);
    await world.settle();
    expect(client.draft('s')).toBe('typed elsewhere');
    world.cutAll();
    world.drafts = {};
    world.clock.advance(500);
    await world.settle();
    expect(client.draft('s')).toBe('');
  });

  test('D6 are saved after a reconnect when the connection was cut', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    client.saveDraft('s', 'text');
    world.clock.advance(400);
    world.cutAll();
    expect(saves(world)).toEqual([]);
    world.clock.advance(500);
    await world.settle();
    expect(saves(world)).toEqual(['text']);
    expect(client.faults.get()).toEqual({ count: 0 });
  });

  test('C9 are removed here and on the server when the message is sent', async () => {
    const world = new World();
    const storage = new FakeStorage();
    const client = world.page({ storage });
    await world.settle();
    client.saveDraft('s', 'text');
    client.saveDraft('s', '');
    world.clock.advance(400);
    await world.settle();
    expect(world.drafts).toEqual({ s: '' });
    expect(storage.items.size).toBe(0);
  });

  test('X4 are kept in memory when storage is missing or full', async () => {
    const world = new World();
    const storage = new FakeStorage();
    storage.setItem = () => {
      throw new Error('full');
    };
    const client = world.page({ storage });
    client.saveDraft('s', 'text');
    expect(client.draft('s')).toBe('text');
    expect(client.faults.get()).toMatchObject({ count: 1 });
    const without = world.page({ storage: undefined });
    without.saveDraft('s', 'text');
    expect(without.draft('s')).toBe('text');
  });
});
