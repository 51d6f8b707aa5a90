// Forking a session of a machine that can't be reached: where to, and how much of the conversation is attached.
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import type { Deck, MachineRow } from '@tugdeck/protocol/wire/deck';
import { afterEach, expect, test, vi } from 'vitest';
import { forkPlaces } from '../src/cards/conversation/fork-elsewhere.ts';
import { trayOf } from '../src/features/attachments/tray.ts';
import { attachConversation } from '../src/features/restore/attach-history.ts';
import { sampleDeck } from './gallery/sample-deck.ts';

afterEach(() => vi.useRealTimers());

const agent = (name: string, installed = true) =>
  ({ name, label: name, installed }) as Deck['agents'][number];
const machine = (id: string, state: MachineRow['state'], ...agents: string[]): MachineRow => ({
  ...{ id, state, agents: agents.map((name) => agent(name)), defaultAgent: agents[0] ?? '' },
});
const project = (id: string, name: string, on: string) => ({
  ...{ id, name, machine: on, path: `/${name}`, addedAt: 1 },
});

test('N34 a session is forked to a machine that can be reached, first to a project of the same name', () => {
  const [row] = sampleDeck().sessions;
  if (!row) throw new Error('no row');
  const deck: Deck = {
    sessions: [],
    agents: [agent('claude', false), agent('codex')],
    defaultAgent: 'codex',
    projects: [
      project('gone', 'shop', 'worker'),
      project('near', 'docs', 'here'),
      project('away', 'shop', 'box'),
      project('off', 'shop', 'attic'),
      project('bare', 'shop', 'empty'),
    ],
    machines: [
      machine('worker', 'offline', 'claude'),
      machine('box', 'online', 'claude', 'codex'),
      machine('attic', 'offline', 'claude'),
      machine('empty', 'online'),
    ],
  };
  const places = forkPlaces(deck, { ...row, machine: 'worker', project: 'gone', agent: 'claude' });
  expect(places.map((place) => [place.project.id, place.machine?.id, place.agent])).toEqual([
    ['away', 'box', 'claude'],
    ['near', undefined, 'codex'],
  ]);
});

test('N34 if the beginning can’t be read in time, the rest is attached and says so', async () => {
  vi.useFakeTimers();
  const channel = {
    view: { get: () => ({ hasOlder: true, conversation: EMPTY }) },
    loadOlder: () => new Promise(() => undefined),
  } as unknown as ConversationChannel;
  const attached = attachConversation(channel, 1, 'fork', 10_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await attached).toBe(false);
  expect(
    trayOf('fork')
      .state.get()
      .files.map(({ name }) => name),
  ).toEqual(['conversation-so-far.md']);
});
