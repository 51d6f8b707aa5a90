import { randomUUID } from 'node:crypto';
import { readTail } from '@tugdeck/journal/reader';
import { isRunning } from '@tugdeck/local/process-identity';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { bundleHost, hostPlace, type Place, SESSION } from './host-process.ts';

let program = '';
let place: Place;
beforeAll(async () => {
  program = await bundleHost();
});
beforeEach(() => {
  place = hostPlace(program);
});
afterEach(() => place.clear());

const prompt = (text: string, id: string = randomUUID()) =>
  ({ type: 'command', command: { kind: 'prompt.send', id, text } }) as const;

test('H5 on a disk error, followers get a message, the agent ends, and nothing complete is lost', async () => {
  const host = await place.start({}, { fileLimitKb: 48 });
  const client = await host.client();
  client.send({ type: 'follow' });
  client.send(prompt('go'));
  const said = await client.until(({ type }) => type === 'error');
  expect(said).toMatchObject({ code: 'DATA_UNWRITABLE', message: expect.stringContaining('EFBIG') });
  await host.exited;
  const agent = place.ledger.get(`agent-${SESSION}`);
  expect(agent && isRunning(agent.identity)).toBeFalsy();
  const state = readTail(place.data.session(SESSION));
  const seen = client.messages.flatMap((message) => (message.type === 'changes' ? message.changes : []));
  expect(state?.v).toBe(seen.at(-1)?.v);
  // With space again, its successor continues.
  const next = await place.start();
  const again = await next.client();
  again.send({ type: 'follow', v: state?.v ?? 0 });
  const id = randomUUID();
  again.send(prompt('still there?', id));
  await again.until((message) => message.type === 'receipt' && message.command === id);
});

test('M4 refuses a command that cannot be written, and the host keeps running', async () => {
  const host = await place.start({}, { fileLimitKb: 32 });
  const client = await host.client();
  client.send({ type: 'follow' });
  const large = randomUUID();
  client.send(prompt('x'.repeat(40_000), large));
  const error = await client.until((message) => message.type === 'error');
  expect(error).toMatchObject({ code: 'DATA_UNWRITABLE', command: large });
  const small = randomUUID();
  client.send(prompt('hello', small));
  await client.until((message) => message.type === 'receipt' && message.command === small);
  const state = readTail(place.data.session(SESSION));
  const users = state ? [...entriesFrom(state.entries)].filter(({ kind }) => kind === 'user') : [];
  expect(users.map(({ id }) => id)).toEqual([small]);
});
