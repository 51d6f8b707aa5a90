import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readTail } from '@tugdeck/journal/reader';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { fromSnapshot } from '@tugdeck/protocol/conversation/window';
import { stableText } from '@tugdeck/protocol/ids';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { bundleHost, hostPlace, type LinkClient, type Place, SESSION } from './host-process.ts';

let program = '';
let place: Place;
beforeAll(async () => {
  program = await bundleHost();
});
beforeEach(() => {
  place = hostPlace(program);
});
afterEach(() => place.clear());

function folded(messages: readonly HostMessage[]): Conversation {
  let state = EMPTY;
  for (const message of messages) {
    if (message.type === 'snapshot') state = fromSnapshot(message.snapshot);
    else if (message.type === 'changes') state = message.changes.reduce(fold, state);
    else if (message.type === 'live') state = message.appends.reduce(foldAppend, state);
  }
  return state;
}

const memoryOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const isRested = () => {
  const state = readTail(place.data.session(SESSION));
  return state !== undefined && state.turns.length === 1 && state.turn === null;
};

async function flooded(client: LinkClient): Promise<void> {
  client.send({
    type: 'command',
    command: { kind: 'prompt.send', id: randomUUID(), text: 'flood' },
  });
  await expect.poll(isRested).toBe(true);
}

test('S3 a client that does not read gets `behind`, has a bounded queue, and catches up', async () => {
  const host = await place.start();
  const [slow, busy] = [await host.client(), await host.client()];
  slow.send({ type: 'follow' });
  await slow.until(({ type }) => type === 'snapshot');
  slow.socket.pause();
  busy.send({ type: 'wake' });
  await flooded(busy);
  // Thirteen megabytes passed; four may be kept, besides the conversation.
  expect(memoryOf(host.pid)).toBeLessThan(300);
  slow.socket.resume();
  const behind = await slow.until(({ type }) => type === 'behind');
  slow.send({ type: 'follow', v: folded(slow.messages).v });
  const { v } = behind as Extract<HostMessage, { type: 'behind' }>;
  await slow.until(() => folded(slow.messages).v >= v && folded(slow.messages).turn === null);
  const fresh = await host.client();
  fresh.send({ type: 'follow' });
  await fresh.until(({ type }) => type === 'snapshot');
  const [mine, theirs] = [folded(slow.messages), folded(fresh.messages)];
  expect(stableText(mine.entries)).toBe(stableText(theirs.entries));
});
