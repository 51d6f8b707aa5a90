import fc from 'fast-check';
import { expect, it } from 'vitest';
import { APPEND_FIELDS, type Append } from '../src/conversation/changes.ts';
import type { Entry } from '../src/conversation/entries.ts';
import { entriesFrom, entryAt } from '../src/conversation/entry-store.ts';
import { classifyChange, fieldText, fold, foldAppend } from '../src/conversation/fold.ts';
import { type Conversation, EMPTY, openEntries } from '../src/conversation/state.ts';
import {
  fromSnapshot,
  type Page,
  pageSchema,
  takeSnapshot,
  trim,
  withPage,
} from '../src/conversation/window.ts';
import { type HostMessage, hostMessageSchema } from '../src/wire/host-link.ts';
import {
  createRandom,
  createRandomHost,
  differences,
  type Random,
  type RandomHost,
  sharedText,
} from './random-conversation.ts';

/** A follower with a lossy link: messages wait in order, and any may be lost or repeated. */
class Client {
  state: Conversation = EMPTY;
  isConnected = false;
  mustFollow = true;
  refusedPages = 0;
  readonly inbox: HostMessage[] = [];
  /** Pages arrive separately and arbitrarily late. */
  readonly pages: Page[] = [];

  take(message: HostMessage): void {
    if (message.type === 'snapshot') this.state = fromSnapshot(message.snapshot);
    if (message.type === 'live')
      for (const append of message.appends) this.state = foldAppend(this.state, append);
    if (message.type !== 'changes') return;
    for (const change of message.changes) {
      if (classifyChange(this.state, change) === 'gap') this.mustFollow = true;
      this.state = fold(this.state, change);
    }
  }

  takePage(page: Page): void {
    const before = this.state;
    this.state = withPage(before, page);
    if (this.state === before) this.refusedPages += 1;
  }
}

function overTheWire(message: HostMessage): HostMessage {
  return hostMessageSchema.parse(JSON.parse(JSON.stringify(message)));
}

class World {
  readonly host: RandomHost;
  readonly random: Random;
  readonly clients: Client[];

  constructor(seed: number, clients: number) {
    this.host = createRandomHost(seed);
    this.random = createRandom(seed * 7 + 1);
    this.clients = Array.from({ length: clients }, () => new Client());
  }

  step(): void {
    const step = this.host.step();
    const message: HostMessage =
      step.type === 'changes'
        ? { type: 'changes', changes: [...step.changes] }
        : { type: 'live', appends: [...step.appends] };
    const sent = overTheWire(message);
    for (const client of this.clients) if (client.isConnected) client.inbox.push(sent);
    for (const client of this.clients) this.trouble(client);
  }

  send(client: Client, message: HostMessage): void {
    client.inbox.push(overTheWire(message));
  }

  trouble(client: Client): void {
    const { random, host } = this;
    if (random.chance(0.03)) this.disconnect(client);
    if (random.chance(0.05)) client.inbox.splice(random.below(client.inbox.length + 1), 1);
    if (random.chance(0.05) && client.inbox.length > 0) {
      const at = random.below(client.inbox.length);
      const twice = client.inbox[at];
      if (twice) client.inbox.splice(at, 0, twice);
    }
    if (random.chance(0.1)) client.pages.push(this.page(random.below(host.state.nextSeq + 1)));
    if (random.chance(0.1)) client.pages.push(this.page(client.state.from));
    if (random.chance(0.02)) client.state = trim(client.state, random.below(60));
    for (let left = random.below(4); left > 0; left--) this.deliver(client);
    if (client.pages.length > 0 && random.chance(0.3)) {
      const [page] = client.pages.splice(random.below(client.pages.length), 1);
      if (page) client.takePage(page);
    }
    if (client.mustFollow && random.chance(0.5)) this.follow(client);
  }

  deliver(client: Client): void {
    const message = client.inbox.shift();
    if (message) client.take(message);
    for (const { entry, field } of client.state.holes) {
      const open = openEntries(client.state).find(({ id }) => id === entry);
      if (open) this.send(client, { type: 'live', appends: this.rest(open, field) });
    }
  }

  disconnect(client: Client): void {
    client.isConnected = false;
    client.mustFollow = true;
    client.inbox.length = 0;
    // Some resume from earlier data, or from nothing.
    if (this.random.chance(0.1)) client.state = EMPTY;
  }

  /** A host's answer: changes or a snapshot, then the texts of open entries, then live text. */
  follow(client: Client): void {
    const { host, random } = this;
    client.inbox.length = 0;
    client.isConnected = true;
    client.mustFollow = false;
    if (client.state.v === 0 || random.chance(0.3)) {
      const tail = 1 + random.below(40);
      this.send(client, { type: 'snapshot', snapshot: takeSnapshot(host.state, { tail, receipts: false }) });
      return;
    }
    const overlap = random.below(3);
    const changes = host.changes.slice(Math.max(0, client.state.v - overlap));
    this.send(client, { type: 'changes', changes });
    for (const entry of openEntries(host.state)) {
      const known = entryAt(client.state.entries, entry.seq);
      for (const field of APPEND_FIELDS) {
        const appends = this.rest(known ?? blank(entry), field);
        if (appends.length > 0) this.send(client, { type: 'live', appends });
      }
    }
  }

  rest(known: Entry, field: Append['field']): Append[] {
    const entry = entryAt(this.host.state.entries, known.seq);
    const at = fieldText(known, field).length;
    const text = entry ? fieldText(entry, field).slice(at) : '';
    return text === '' ? [] : [{ entry: known.id, field, at, text }];
  }

  page(to: number): Page {
    const { state } = this.host;
    const from = Math.max(0, to - 1 - this.random.below(50));
    const entries = [...entriesFrom(state.entries, from)].filter(({ seq }) => seq < to);
    return pageSchema.parse(JSON.parse(JSON.stringify({ v: state.v, from, to, entries })));
  }

  /** End of the disturbances: everyone follows, reads to the end and loads all pages. */
  settle(client: Client): void {
    const drain = () => {
      while (client.inbox.length > 0) this.deliver(client);
    };
    this.follow(client);
    drain();
    for (const page of client.pages.splice(0)) client.takePage(page);
    while (client.state.from > 0) client.takePage(this.page(client.state.from));
    drain();
  }
}

/** An entry without known streamed text. */
function blank(entry: Entry): Entry {
  return Object.assign({ ...entry }, { text: '', inputText: '', output: '' });
}

// Few worlds at a time, so that no limit is near on a slow machine; the client's test has as many again.
const BATCHES = Array.from(
  { length: process.env.TUGDECK_TEST_FULL === '1' ? 12 : 4 },
  (_, index) => index + 1,
);

it.each(BATCHES)(
  'M2 M3 clients with drops, repeats, holes, reconnects and random pages converge to the byte (worlds %i)',
  (seed) => {
    let refused = 0;
    let early = 0;
    let holes = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (worldSeed) => {
        const world = new World(worldSeed, 4);
        for (let left = 250; left > 0; left--) {
          world.step();
          early += world.clients.filter(({ state }) => state.ahead.length > 0).length;
          holes += world.clients.filter(({ state }) => state.holes.length > 0).length;
        }
        for (const client of world.clients) {
          world.settle(client);
          expect(sharedText(client.state)).toBe(sharedText(world.host.state));
          expect(differences(client.state, world.host.state)).toEqual([]);
          expect(client.state).toMatchObject({ from: 0, holes: [], ahead: [] });
          refused += client.refusedPages;
        }
      }),
      { seed, numRuns: 5 },
    );
    // The disturbances did occur.
    expect(Math.min(refused, early, holes)).toBeGreaterThan(5);
  },
);

it.each(BATCHES)(
  'M2 a closed entry is the same everywhere while live text is still missing elsewhere (worlds %i)',
  (seed) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (worldSeed) => {
        const world = new World(worldSeed, 3);
        for (let left = 200; left > 0; left--) {
          world.step();
          for (const { state } of world.clients) {
            if (state.v !== world.host.state.v || state.ahead.length > 0) continue;
            const closed = differences(state, world.host.state).filter((text) => !text.includes('"partial"'));
            expect(closed).toEqual([]);
          }
        }
      }),
      { seed: seed + 100, numRuns: 2 },
    );
  },
);
