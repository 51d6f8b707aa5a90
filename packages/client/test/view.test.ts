import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { entryAt } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import type { HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';
import { describe, expect, test } from 'vitest';
import type { Client } from '../src/client.ts';
import type { ConversationChannel } from '../src/conversation-channel.ts';
import type { HostLink } from './simulated-host.ts';
import { SESSION, World } from './simulated-world.ts';

/** A page on a host whose messages the test chooses. */
class Scripted {
  readonly world = new World();
  readonly client: Client;
  readonly channel: ConversationChannel;
  readonly received: HostRequest[] = [];
  state: Conversation = EMPTY;
  tail = 100;
  #link: HostLink | undefined;

  constructor() {
    this.world.host().request = (link, request) => {
      this.#link = link;
      this.received.push(request);
      if (request.type === 'follow' && (request.v === undefined || request.v < this.state.v)) this.snapshot();
    };
    this.client = this.world.page();
    this.channel = this.client.conversation(SESSION);
  }

  emit(...messages: HostMessage[]): void {
    for (const message of messages) this.#link?.send(message);
  }

  snapshot(): void {
    this.emit({ type: 'snapshot', snapshot: takeSnapshot(this.state, { tail: this.tail, receipts: false }) });
  }

  make(body: ChangeBody): Change {
    const change = { ...body, v: this.state.v + 1, at: 1_000 + this.state.v } as Change;
    this.state = fold(this.state, change);
    return change;
  }

  change(...bodies: ChangeBody[]): void {
    this.emit({ type: 'changes', changes: bodies.map((body) => this.make(body)) });
  }

  page(before: number, limit = 100): void {
    const from = Math.max(0, before - limit);
    const entries = Array.from({ length: before - from }, (_, at) => entryAt(this.state.entries, from + at));
    const page = {
      v: this.state.v,
      from,
      to: before,
      entries: entries.filter((entry) => entry !== undefined),
    };
    this.emit({ type: 'entries', page });
  }

  live(entry: string, at: number, text: string): void {
    this.emit({ type: 'live', appends: [{ entry, field: 'text', at, text }] });
  }

  requests<T extends HostRequest['type']>(type: T): Extract<HostRequest, { type: T }>[] {
    return this.received.filter((one): one is Extract<HostRequest, { type: T }> => one.type === type);
  }
}

const text = (id: string, status: 'partial' | 'complete' = 'complete'): ChangeBody => ({
  kind: 'entry.opened',
  entry: { kind: 'text', id, text: status === 'partial' ? '' : `text of ${id}`, status },
});
const texts = (count: number) => Array.from({ length: count }, (_, at) => text(`e${at}`));

function counting(subscribe: (listener: () => void) => void): () => number {
  let count = 0;
  subscribe(() => count++);
  return () => count;
}

async function loaded(bodies: ChangeBody[]): Promise<Scripted> {
  const scripted = new Scripted();
  for (const body of bodies) scripted.make(body);
  await scripted.world.settle();
  expect(scripted.channel.view.get().phase).toBe('ready');
  return scripted;
}

describe('view notifications', () => {
  test('C10 notifies only the entry of a delta, once per frame however many deltas arrived', async () => {
    const { world, channel, ...script } = await loaded([...texts(50), text('open', 'partial')]).then(bind);
    const open = counting((listener) => channel.entry('open').subscribe(listener));
    const other = counting((listener) => channel.entry('e3').subscribe(listener));
    const view = counting((listener) => channel.view.subscribe(listener));
    const { order } = channel.view.get();
    for (let at = 0; at < 40; at++) script.live('open', at, 'x');
    await world.settle();
    expect(channel.entry('open').get()).toMatchObject({ text: 'x'.repeat(40) });
    expect([open(), other(), view()]).toEqual([1, 0, 1]);
    expect(channel.view.get().order).toBe(order);
    script.live('open', 40, 'y');
    await world.settle();
    expect([open(), other(), view()]).toEqual([2, 0, 2]);
  });

  test('C10 notifies no listener when nothing changed', async () => {
    const { world, channel, ...script } = await loaded([...texts(3), text('open', 'partial')]).then(bind);
    script.live('open', 0, 'abc');
    await world.settle();
    const view = counting((listener) => channel.view.subscribe(listener));
    const open = counting((listener) => channel.entry('open').subscribe(listener));
    script.live('open', 0, 'abc');
    script.live('open', 1, 'b');
    await world.settle();
    expect([open(), view()]).toEqual([0, 0]);
  });

  test('M2 a change of session information leaves the order and all entries unchanged', async () => {
    const { world, channel, ...script } = await loaded(texts(5)).then(bind);
    const entries = ['e0', 'e4'].map((id) => channel.entry(id).get());
    const { order } = channel.view.get();
    script.change({ kind: 'session.described', facts: { model: 'm' } });
    await world.settle();
    expect(channel.view.get().conversation.facts.model).toBe('m');
    expect(channel.view.get().order).toBe(order);
    expect(['e0', 'e4'].map((id) => channel.entry(id).get())).toEqual(entries);
  });

  test('M13 does not show abandoned text', async () => {
    const { world, channel, ...script } = await loaded([...texts(2), text('cut', 'partial')]).then(bind);
    expect(channel.view.get().order).toEqual(['e0', 'e1', 'cut']);
    script.change(
      { kind: 'entry.closed', entry: 'cut', status: 'cancelled', patch: { text: '' } },
      text('e9'),
    );
    await world.settle();
    expect(channel.view.get().order).toEqual(['e0', 'e1', 'e9']);
    expect(channel.entry('cut').get()).toMatchObject({ status: 'cancelled', seq: 2 });
  });

  test('M4 shows entries confirmed while a prompt is pending before it', async () => {
    const { world, channel, ...script } = await loaded(texts(1)).then(bind);
    void channel.send({ kind: 'prompt.send', text: 'mine' });
    await world.settle();
    const id = channel.view.get().pending[0]?.id ?? '';
    expect(channel.view.get().order).toEqual(['e0', id]);
    script.change(text('e1'), text('e2'));
    await world.settle();
    expect(channel.view.get().order).toEqual(['e0', 'e1', 'e2', id]);
    expect(channel.entry(id).get()).toMatchObject({ text: 'mine', seq: 3 });
    script.change({ kind: 'prompt.accepted', prompt: { id, text: 'mine' } }, text('e3'));
    script.emit({ type: 'receipt', command: id, v: script.state().v });
    await world.settle();
    expect(channel.view.get()).toMatchObject({ order: ['e0', 'e1', 'e2', id, 'e3'], pending: [] });
  });

  test('M4 an acknowledged prompt does not flicker until its change arrives', async () => {
    const { world, channel, ...script } = await loaded(texts(1)).then(bind);
    const sent = channel.send({ kind: 'prompt.send', text: 'mine' });
    await world.settle();
    const id = channel.view.get().pending[0]?.id ?? '';
    script.emit({ type: 'receipt', command: id, v: 2 });
    await world.settle();
    expect(await sent).toMatchObject({ command: id, v: 2 });
    expect(channel.view.get()).toMatchObject({ order: ['e0', id], pending: [] });
    script.change({ kind: 'prompt.queued', prompt: { id, text: 'mine' } });
    await world.settle();
    expect(channel.view.get().order).toEqual(['e0']);
    expect(channel.view.get().conversation.queue).toMatchObject([{ id }]);
  });

  test('M4 shows a prompt from a snapshot once while its receipt is missing', async () => {
    const { world, channel, ...script } = await loaded([...texts(1), text('open', 'partial')]).then(bind);
    void channel.send({ kind: 'prompt.send', text: 'drawn' });
    void channel.send({ kind: 'prompt.send', text: 'queued' });
    await world.settle();
    const [drawn = '', queued = ''] = channel.view.get().pending.map(({ id }) => id);
    script.make({ kind: 'prompt.accepted', prompt: { id: drawn, text: 'drawn' } });
    script.make({ kind: 'prompt.progressed', prompt: drawn, delivery: 'delivered' });
    script.make({ kind: 'prompt.queued', prompt: { id: queued, text: 'queued' } });
    world.cutAll();
    world.clock.advance(500);
    await world.settle();
    const { order, conversation, pending } = channel.view.get();
    expect(pending).toHaveLength(2);
    expect(order).toEqual(['e0', 'open', drawn]);
    expect(conversation.queue.map(({ id }) => id)).toEqual([queued]);
  });

  test('M4 notifies a predicted entry once, not with every delta of another', async () => {
    const { world, channel, ...script } = await loaded([text('open', 'partial')]).then(bind);
    void channel.send({ kind: 'prompt.send', text: 'mine' });
    world.runFrame();
    const id = channel.view.get().order.at(-1) ?? '';
    const mine = counting((listener) => channel.entry(id).subscribe(listener));
    for (let at = 0; at < 5; at++) {
      script.live('open', at, 'x');
      await world.settle();
    }
    expect(channel.entry('open').get()).toMatchObject({ text: 'xxxxx' });
    expect(mine()).toBe(0);
  });

  test('D10 notifies other listeners after one throws', async () => {
    const { world, channel, ...script } = await loaded(texts(1)).then(bind);
    const escaped = new Promise((resolve) => process.once('uncaughtException', resolve));
    channel.fault.subscribe(() => {
      throw new Error('a broken view');
    });
    const view = counting((listener) => channel.view.subscribe(listener));
    script.emit({ type: 'error', code: 'AGENT_UNAVAILABLE', message: 'no' });
    script.change(text('e1'));
    await world.settle();
    expect(view()).toBe(1);
    expect(await escaped).toMatchObject({ message: 'a broken view' });
  });
});

describe('session replica', () => {
  test('M2 requests a hole in live text once and fills it', async () => {
    const { world, channel, ...script } = await loaded([text('open', 'partial')]).then(bind);
    script.live('open', 0, 'abc');
    script.live('open', 6, 'ghi');
    script.live('open', 9, 'jkl');
    await world.settle();
    expect(channel.entry('open').get()).toMatchObject({ text: 'abc' });
    expect(script.requests('text')).toEqual([{ type: 'text', entry: 'open', field: 'text', from: 3 }]);
    script.live('open', 3, 'defghijkl');
    await world.settle();
    expect(channel.entry('open').get()).toMatchObject({ text: 'abcdefghijkl' });
    script.live('open', 14, 'z');
    await world.settle();
    expect(script.requests('text')).toHaveLength(2);
  });

  test('M2 follows again from its own version after a gap, once, and holds live text until then', async () => {
    const { world, channel, ...script } = await loaded([text('open', 'partial')]).then(bind);
    script.live('open', 0, 'old');
    await world.settle();
    const patch = script.make({ kind: 'entry.patched', entry: 'open', patch: { text: 'n' } });
    script.change(text('e1'));
    script.change(text('e2'));
    script.live('open', 1, 'ew text');
    world.host().request = (_link, request) => void script.received.push(request);
    await world.settle();
    const follows = script.requests('follow').slice(1);
    expect(follows).toEqual([{ type: 'follow', v: 1, have: [{ entry: 'open', field: 'text', length: 3 }] }]);
    expect(channel.entry('open').get()).toMatchObject({ text: 'old' });
    const later = [text('e1'), text('e2')].map((body, at) => ({ ...body, v: 3 + at, at: 1 }) as Change);
    script.emit({ type: 'changes', changes: [patch, ...later] });
    script.live('open', 1, 'ew text');
    await world.settle();
    expect(channel.entry('open').get()).toMatchObject({ text: 'new text' });
    expect(channel.view.get().order).toEqual(['open', 'e1', 'e2']);
  });

  test('S3 follows again after `behind` and resends pending commands', async () => {
    const { world, channel, ...script } = await loaded(texts(2)).then(bind);
    void channel.send({ kind: 'agent.stop' });
    await world.settle();
    script.emit({ type: 'behind', v: 9 });
    await world.settle();
    expect(script.requests('follow').at(-1)).toMatchObject({ v: 2 });
    expect(script.requests('command')).toHaveLength(2);
  });

  test('M3 keeps loaded pages over a snapshot, reloads them, and the higher rev wins', async () => {
    const { world, channel, ...script } = await loaded(texts(150)).then(bind);
    expect(channel.view.get()).toMatchObject({ hasOlder: true });
    expect(channel.view.get().order).toHaveLength(100);
    const older = channel.loadOlder();
    await world.settle();
    expect(script.requests('entries')).toEqual([{ type: 'entries', before: 50, limit: 50 }]);
    script.page(50);
    await world.settle();
    await older;
    expect(channel.view.get()).toMatchObject({ hasOlder: false });
    expect(channel.view.get().order).toHaveLength(150);

    world.cutAll();
    script.make({ kind: 'entry.patched', entry: 'e7', patch: { text: 'late' } });
    for (let at = 150; at < 160; at++) script.make(text(`e${at}`));
    const kept = channel.entry('e8').get();
    const tailEntry = channel.entry('e149').get();
    world.clock.advance(500);
    await world.settle();
    expect(channel.view.get().order).toHaveLength(160);
    expect(channel.entry('e149').get()).toBe(tailEntry);
    expect(channel.entry('e7').get()).toMatchObject({ text: 'text of e7' });
    expect(script.requests('entries').at(-1)).toEqual({ type: 'entries', before: 60, limit: 60 });
    const changed = counting((listener) => channel.entry('e7').subscribe(listener));
    const unchanged = counting((listener) => channel.entry('e8').subscribe(listener));
    script.page(60, 60);
    await world.settle();
    expect(channel.entry('e7').get()).toMatchObject({ text: 'late', rev: 1 });
    expect(channel.entry('e8').get()).toBe(kept);
    expect([changed(), unchanged()]).toEqual([1, 0]);
    expect(script.requests('entries')).toHaveLength(2);
  });

  test('M3 requests a page again that was read before a change to its entries', async () => {
    const { world, channel, ...script } = await loaded(texts(120)).then(bind);
    const older = channel.loadOlder();
    await world.settle();
    const early = Array.from({ length: 20 }, (_, at) => entryAt(script.state().entries, at));
    const v = script.state().v;
    script.change({ kind: 'entry.patched', entry: 'e5', patch: { text: 'late' } });
    const entries = early.filter((entry) => entry !== undefined);
    script.emit({ type: 'entries', page: { v, from: 0, to: 20, entries } });
    await world.settle();
    expect(script.requests('entries')).toHaveLength(2);
    script.page(20);
    await world.settle();
    await older;
    expect(channel.entry('e5').get()).toMatchObject({ text: 'late' });
  });

  test('M3 loading older entries survives a lost connection', async () => {
    const { world, channel, ...script } = await loaded(texts(120)).then(bind);
    world.cutAll();
    const older = channel.loadOlder();
    world.clock.advance(500);
    await world.settle();
    expect(script.requests('entries')).toEqual([{ type: 'entries', before: 20, limit: 20 }]);
    script.page(20);
    await world.settle();
    await older;
    expect(channel.view.get().order).toHaveLength(120);
  });

  test('S2 counts an invalid message and recovers with a full snapshot', async () => {
    const { world, client, channel, ...script } = await loaded(texts(2)).then(bind);
    const broken = { type: 'changes', changes: [{ ...script.make(text('e2')), entry: { kind: 'text' } }] };
    script.emit(broken as unknown as HostMessage);
    await world.settle();
    expect(client.faults.get()).toMatchObject({ count: 1, last: expect.stringContaining('not a change') });
    expect(script.requests('follow').at(-1)).toEqual({ type: 'follow' });
    expect(channel.view.get().order).toEqual(['e0', 'e1', 'e2']);
  });

  test('M2 accepts a session that was rewound to an earlier version', async () => {
    const { world, channel, ...script } = await loaded(texts(4)).then(bind);
    world.cutAll();
    script.reset(texts(2));
    world.clock.advance(500);
    await world.settle();
    script.snapshot();
    await world.settle();
    expect(channel.view.get().order).toEqual(['e0', 'e1']);
  });

  test('S5 a missing session opens once the deck lists it', async () => {
    const world = new World();
    const channel = world.page().conversation(SESSION);
    await world.settle();
    expect(channel.view.get().phase).toBe('missing');
    expect(channel.fault.get()).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    world.host();
    const row = { id: SESSION, project: 'p', agent: 'demo', title: '', createdAt: 0, activeAt: 0 };
    const socket = world.openSockets[0];
    if (!socket) throw new Error('no socket');
    world.push(socket, { type: 'session', row: { ...row, archived: false, live: false } });
    await world.settle();
    expect(channel.view.get().phase).toBe('ready');
    expect(channel.fault.get()).toBeUndefined();
  });

  test('N10 a session that is listed before the reply to its opening says that it is missing is opened again', async () => {
    const world = new World();
    const push = world.push.bind(world);
    world.push = (socket, message) => {
      if (message.type === 'error' && !world.hosts.has(SESSION)) {
        world.host();
        const row = { id: SESSION, project: 'p', agent: 'demo', title: '', createdAt: 0, activeAt: 0 };
        push(socket, { type: 'session', row: { ...row, archived: false, live: false } });
      }
      push(socket, message);
    };
    const channel = world.page().conversation(SESSION);
    await world.settle();
    expect(channel.view.get().phase).toBe('ready');
  });

  test('H1 forwards wake, also when called offline', async () => {
    const { world, channel, ...script } = await loaded([]).then(bind);
    channel.wake();
    await world.settle();
    expect(script.requests('wake')).toHaveLength(1);
    world.cutAll();
    channel.wake();
    world.clock.advance(500);
    await world.settle();
    expect(script.requests('wake')).toHaveLength(2);
  });
});

/** The script's steps as plain functions. */
function bind(script: Scripted) {
  return {
    world: script.world,
    client: script.client,
    channel: script.channel,
    received: script.received,
    state: () => script.state,
    reset: (bodies: ChangeBody[]) => {
      script.state = EMPTY;
      for (const body of bodies) script.make(body);
    },
    emit: script.emit.bind(script),
    snapshot: script.snapshot.bind(script),
    make: script.make.bind(script),
    change: script.change.bind(script),
    page: script.page.bind(script),
    live: script.live.bind(script),
    requests: script.requests.bind(script),
  };
}

describe('a window that follows the end', () => {
  const long = (id: string): ChangeBody => ({
    kind: 'entry.opened',
    entry: { kind: 'text', id, text: id.padEnd(30_000, '.'), status: 'complete' },
  });
  const longs = (count: number) => Array.from({ length: count }, (_, at) => long(`e${at}`));

  test('X7 M3 drops entries far above its end and loads them again', async () => {
    const { world, channel, ...script } = await loaded(longs(60)).then(bind);
    expect(channel.view.get().order).toHaveLength(60);
    channel.trimOlder();
    await world.settle();
    const { order, hasOlder } = channel.view.get();
    expect(order.length).toBeLessThan(20);
    expect(order.at(-1)).toBe('e59');
    expect(hasOlder).toBe(true);
    expect(channel.entry('e0').get()).toBeUndefined();
    const read = channel.loadOlder();
    script.page(60 - order.length);
    await world.settle();
    await read;
    expect(channel.view.get().order).toHaveLength(60);
    expect(channel.entry('e0').get()).toMatchObject({ text: expect.stringMatching(/^e0\./) });
    // Entries that were just read are kept.
    channel.trimOlder();
    await world.settle();
    expect(channel.view.get().order).toHaveLength(60);
  });

  test('C11 M3 keeps all entries while the user reads back, and always keeps small windows and open entries', async () => {
    const many = await loaded(longs(60)).then(bind);
    const callOff = many.channel.retainOlder();
    many.channel.trimOlder();
    await many.world.settle();
    expect(many.channel.view.get().order).toHaveLength(60);
    callOff();
    many.channel.trimOlder();
    await many.world.settle();
    expect(many.channel.view.get().order.length).toBeLessThan(20);

    const few = await loaded(texts(90)).then(bind);
    few.channel.trimOlder();
    await few.world.settle();
    expect(few.channel.view.get().order).toHaveLength(90);

    const open = await loaded([long('a'), text('open', 'partial'), ...longs(60)]).then(bind);
    open.channel.trimOlder();
    await open.world.settle();
    expect(open.channel.view.get().order[0]).toBe('open');
  });
});

describe('queries', () => {
  test('M4 a query is answered, changes nothing on screen, and is sent again after a reconnect', async () => {
    const script = await loaded([text('e1')]);
    const before = script.channel.view.get();
    const answer = script.channel.query('context', { a: 1 });
    await script.world.settle();
    script.world.cutAll();
    script.world.clock.advance(500);
    await script.world.settle();
    const [first, again] = script.requests('query');
    expect(first?.command).toMatchObject({ what: 'context', input: { a: 1 } });
    expect(again).toEqual(first);
    const reply = { type: 'answer', id: first?.command.id ?? '', ok: true, text: 'Nothing.' } as const;
    script.emit(reply);
    await script.world.settle();
    expect(await answer).toEqual(reply);
    expect(script.channel.view.get().conversation).toEqual(before.conversation);
  });

  test('H10 an earlier host, which does not know queries, rejects one by its id', async () => {
    const script = await loaded([text('e1')]);
    const rejected = expect(script.channel.query('context', {})).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
    });
    await script.world.settle();
    const command = script.requests('query')[0]?.command.id;
    script.emit({ type: 'error', code: 'INVALID_MESSAGE', message: 'type', ...(command ? { command } : {}) });
    await script.world.settle();
    await rejected;
    expect(script.channel.fault.get()).toBeUndefined();
  });
});
