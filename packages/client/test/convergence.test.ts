import { type Entry, isOpen } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import { stableText } from '@tugdeck/protocol/ids';
import { describe, expect, test } from 'vitest';
import { createRandom, randomCommand, sharedText } from '../../protocol/test/random-conversation.ts';
import type { Client } from '../src/client.ts';
import type { ConversationChannel } from '../src/conversation-channel.ts';
import { SESSION, World } from './simulated-world.ts';

const RUNS = 40;
const CLIENTS = 3;
const STEPS = 150;

async function loadAll(world: World, channel: ConversationChannel): Promise<void> {
  while (channel.view.get().hasOlder) {
    const loaded = channel.loadOlder();
    await world.settle();
    await loaded;
    await world.settle();
  }
}

function expectInSync(channel: ConversationChannel, world: World, withOpenText: boolean): void {
  const truth = world.host().state;
  const { conversation, order, pending } = channel.view.get();
  expect(pending).toEqual([]);
  expect(sharedText(conversation)).toBe(sharedText(truth));
  const right = [...entriesFrom(truth.entries, conversation.from)];
  const compared = (entry: Entry) => withOpenText || !isOpen(entry);
  expect([...entriesFrom(conversation.entries, conversation.from)].filter(compared).map(stableText)).toEqual(
    right.filter(compared).map(stableText),
  );
  const ids = right.map(({ id }) => id);
  expect(ids.filter((id) => order.includes(id))).toEqual([...order]);
}

async function chaos(seed: number): Promise<void> {
  const random = createRandom(seed);
  const world = new World();
  const host = world.host(SESSION, seed);
  host.habits.memory = random.pick([0, 3, 8, 40]);
  host.habits.tail = random.pick([5, 12, 40]);
  host.habits.latePages = random.chance(0.5);
  host.habits.fate = ({ type }) => {
    if (random.chance(0.04) && (type === 'live' || type === 'changes')) return 'drop';
    return random.chance(0.05) ? 'twice' : 'pass';
  };
  for (let count = random.below(80); count > 0; count--) host.step();
  const clients: Client[] = Array.from({ length: CLIENTS }, () => world.page());
  const channels = clients.map((client) => client.conversation(SESSION));
  const sent: { id: string; answer: Promise<unknown> }[] = [];
  for (let count = 0; count < STEPS; count++) {
    host.step();
    const client = random.pick(clients);
    const channel = channels[clients.indexOf(client)];
    if (!channel) throw new Error('no channel');
    if (random.chance(0.1))
      random.pick(world.openSockets.length > 0 ? world.openSockets : world.sockets).cut();
    if (random.chance(0.1)) world.clock.advance(random.below(2_000));
    if (random.chance(0.05)) client.reconnect();
    if (random.chance(0.1)) void channel.loadOlder();
    if (random.chance(0.15)) {
      const command = randomCommand(random, channel.view.get().conversation);
      sent.push({ id: command.id, answer: channel.send(command).catch((error: unknown) => error) });
    }
    for (const link of host.links) {
      if (random.chance(0.03)) link.behind = true;
      else if (link.behind && random.chance(0.3)) host.catchUp(link);
    }
    if (random.chance(0.6)) await world.pump();
    if (random.chance(0.4)) world.runFrame();
  }
  host.habits.fate = () => 'pass';
  for (const link of host.links) if (link.behind) host.catchUp(link);
  host.habits.latePages = false;
  for (let second = 0; second < 12; second++) {
    world.clock.advance(1_000);
    await world.settle();
  }
  // A change after the last lost one reveals every gap; late pages arrive with it.
  const last = host.state.v;
  while (host.state.v === last || openEntries(host.state).length > 8) host.step();
  await world.settle();
  for (const channel of channels) expectInSync(channel, world, false);

  for (const client of clients) client.reconnect();
  await world.settle();
  const fresh = world.page().conversation(SESSION);
  await world.settle();
  for (const channel of [...channels, fresh]) {
    expectInSync(channel, world, true);
    await loadAll(world, channel);
    expect(channel.view.get().conversation.from).toBe(0);
    expectInSync(channel, world, true);
  }
  await Promise.all(sent.map(({ answer }) => answer));
  for (const count of host.effects.values()) expect(count).toBe(1);
  for (const client of clients) expect(client.faults.get()).toEqual({ count: 0 });
}

describe('several pages of one session', () => {
  test.each(Array.from({ length: RUNS }, (_, index) => index + 1))(
    'M2 M3 M4 end identical and equal to a fresh load after random cuts, drops and overlaps (seed %i)',
    async (seed) => {
      await chaos(seed);
    },
  );
});
