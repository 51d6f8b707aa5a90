import { MAX_PROMPT } from '@tugdeck/protocol/conversation/commands';
import { entryAt } from '@tugdeck/protocol/conversation/entry-store';
import { describe, expect, test } from 'vitest';
import type { ClientError } from '../src/client-error.ts';
import { SESSION, World } from './simulated-world.ts';

async function opened(world: World, seed = 1) {
  const host = world.host(SESSION, seed);
  const client = world.page();
  const channel = client.conversation(SESSION);
  await world.settle();
  return { host, client, channel };
}

const texts = (queue: readonly { readonly text: string }[]) => queue.map(({ text }) => text);

/** The host receives the page's messages, but the connection is cut before its reply arrives. */
function loseAnswers(world: World): void {
  world.deliverToServer();
  world.cutAll();
}

async function backOnline(world: World): Promise<void> {
  world.clock.advance(500);
  await world.settle();
}

describe('commands', () => {
  test('M4 shows a prompt in the next frame, after all confirmed entries, with the id of its command', async () => {
    const world = new World();
    const { host, channel } = await opened(world);
    host.stepUntil(() => host.state.nextSeq > 3 && !host.state.turn && host.state.queue.length === 0);
    await world.settle();
    const before = channel.view.get();
    void channel.send({ kind: 'prompt.send', text: 'hello' });
    world.runFrame();
    const { order, pending, conversation } = channel.view.get();
    const id = pending[0]?.id ?? '';
    const isDrawn = order.at(-1) === id;
    const isQueued = conversation.queue.at(-1)?.id === id;
    expect(isDrawn || isQueued).toBe(true);
    if (isDrawn) {
      expect(order.slice(0, -1)).toEqual(before.order);
      expect(channel.entry(id).get()).toMatchObject({ kind: 'user', text: 'hello', delivery: 'accepted' });
    }
    expect(conversation.v).toBe(before.conversation.v);
  });

  test('M4 a command whose receipt was lost takes effect once and still resolves', async () => {
    const world = new World();
    const { host, channel } = await opened(world);
    const answer = channel.send({ kind: 'session.configure', option: 'mode', value: 'plan' });
    world.runFrame();
    const id = channel.view.get().pending[0]?.id ?? '';
    loseAnswers(world);
    expect(host.effects.get(id)).toBe(1);
    await backOnline(world);
    await expect(answer).resolves.toMatchObject({ command: id });
    expect(host.effects.get(id)).toBe(1);
    expect(host.requests.filter(({ type }) => type === 'command')).toHaveLength(2);
    expect(channel.view.get().pending).toEqual([]);
  });

  test('M4 rejects a refused command with its code and removes its prediction', async () => {
    const world = new World();
    const { host, channel } = await opened(world);
    world.cutAll();
    const first = channel.send({ kind: 'prompt.send', text: 'first' });
    const second = channel.send({ kind: 'prompt.send', text: 'second' });
    world.runFrame();
    const queued = channel.view.get().conversation.queue[0]?.id ?? '';
    expect(queued).not.toBe('');
    await backOnline(world);
    await Promise.all([first, second]);
    host.stepUntil(() => host.state.queue.every(({ id }) => id !== queued));
    // The page still shows it as queued when the user edits it.
    world.cutAll();
    const edit = channel
      .send({ kind: 'prompt.edit', prompt: queued, text: 'changed' })
      .catch((error: unknown) => error);
    world.runFrame();
    await backOnline(world);
    expect(await edit).toMatchObject({ name: 'ClientError', code: 'PROMPT_NOT_QUEUED' });
    expect(channel.view.get().pending).toEqual([]);
    expect(texts(channel.view.get().conversation.queue)).toEqual(texts(host.state.queue));
  });

  test('M4 rejects a command with the code and hint of its error', async () => {
    const world = new World();
    const { host, channel } = await opened(world);
    host.request = (link, request) => {
      if (request.type !== 'command') return;
      const { id } = request.command;
      link.send({ type: 'error', code: 'HOST_UNAVAILABLE', message: 'no', hint: 'try', command: id });
    };
    const answer = channel.send({ kind: 'prompt.send', text: 'x' }).catch((error: ClientError) => error);
    await world.settle();
    expect(await answer).toMatchObject({ code: 'HOST_UNAVAILABLE', hint: 'try' });
    expect(channel.view.get().order).toEqual([]);
  });

  test('C9 predicts queue changes: edit, move, withdraw', async () => {
    const world = new World();
    const { channel } = await opened(world);
    world.cutAll();
    const send = (text: string) => {
      void channel.send({ kind: 'prompt.send', text });
      world.runFrame();
      return channel.view.get().pending.at(-1)?.id ?? '';
    };
    send('underway');
    const a = send('a');
    const b = send('b');
    const c = send('c');
    const queue = () => texts(channel.view.get().conversation.queue);
    expect(queue()).toEqual(['a', 'b', 'c']);
    void channel.send({ kind: 'prompt.move', prompt: c, to: 0 });
    void channel.send({ kind: 'prompt.edit', prompt: a, text: 'A' });
    void channel.send({ kind: 'prompt.withdraw', prompt: b });
    world.runFrame();
    expect(queue()).toEqual(['c', 'A']);
    await backOnline(world);
    expect(channel.view.get().pending).toEqual([]);
    expect(texts(world.host().state.queue)).toEqual(['c', 'A']);
    expect(queue()).toEqual(['c', 'A']);
  });

  test('C21 shows answers as pending and does not predict them', async () => {
    const world = new World();
    const { host, channel } = await opened(world, 5);
    const isAsking = () => Object.keys(host.state.open).some((id) => channelKind(id) === 'permission');
    const channelKind = (id: string) => entryAt(host.state.entries, host.state.open[id] ?? -1)?.kind;
    host.stepUntil(isAsking);
    await world.settle();
    const entry = Object.keys(host.state.open).find((id) => channelKind(id) === 'permission') ?? '';
    world.cutAll();
    const answer = { type: 'permission', behavior: 'allow' } as const;
    const sent = channel.send({ kind: 'request.answer', entry, shown: `shown-${entry}`, answer });
    world.runFrame();
    expect(channel.entry(entry).get()).toMatchObject({ request: { status: 'pending' } });
    expect(channel.view.get().pending).toMatchObject([{ kind: 'request.answer', entry }]);
    await backOnline(world);
    await sent;
    expect(channel.entry(entry).get()).toMatchObject({ request: { status: 'answered' } });
  });

  test('D6 keeps commands sent offline, shows them as waiting and sends them once, even after their card was closed', async () => {
    const world = new World();
    const { host, channel } = await opened(world);
    world.isUp = false;
    world.cutAll();
    const answer = channel.send({ kind: 'prompt.send', text: 'later' });
    world.runFrame();
    const { pending, order } = channel.view.get();
    const id = pending[0]?.id ?? '';
    expect(order.at(-1)).toBe(id);
    channel.release();
    for (let second = 0; second < 30; second++) {
      world.clock.advance(1_000);
      await world.settle();
    }
    expect(host.effects.size).toBe(0);
    world.isUp = true;
    for (let second = 0; second < 6; second++) {
      world.clock.advance(1_000);
      await world.settle();
    }
    await answer;
    expect([...host.effects]).toEqual([[id, 1]]);
    expect(host.requests.filter(({ type }) => type === 'command')).toHaveLength(1);
    expect(host.links.size).toBe(0);
  });

  test('M4 treats two commands with the same id as one', async () => {
    const world = new World();
    const { host, channel } = await opened(world);
    const id = '22222222-2222-4222-8222-222222222222';
    const answers = [1, 2].map(() => channel.send({ kind: 'prompt.send', id, text: 'x' }));
    await world.settle();
    expect(await Promise.all(answers)).toHaveLength(2);
    expect(host.requests.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  test('X2 rejects a command that is too large for a frame without sending it', async () => {
    const world = new World();
    const { host, channel } = await opened(world);
    await expect(
      channel.send({ kind: 'prompt.send', text: 'x'.repeat(MAX_PROMPT + 1) }),
    ).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', hint: expect.stringContaining('as a file') });
    const data = 'x'.repeat(2 * 1024 * 1024);
    const attachments = [{ name: 'a', mimeType: 'text/plain', size: data.length, data }];
    await expect(channel.send({ kind: 'prompt.send', text: 'x', attachments })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    await world.settle();
    expect(host.requests.filter(({ type }) => type === 'command')).toEqual([]);
    expect(channel.view.get().order).toEqual([]);
  });
});
