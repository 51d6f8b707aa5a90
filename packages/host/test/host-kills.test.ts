import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readTail } from '@tugdeck/journal/reader';
import { isRunning } from '@tugdeck/local/process-identity';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import {
  childrenOf,
  commandOf,
  findByEnvironment,
  freeze,
  isAlive,
  waitGone,
} from '@tugdeck/testkit/process-facts';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WATCHDOG } from '../src/watchdog.ts';
import { bundleHost, endProcess, hostPlace, type Place, SESSION } from './host-process.ts';

let program = '';
let place: Place;
beforeAll(async () => {
  program = await bundleHost();
});
beforeEach(() => {
  place = hostPlace(program);
});
afterEach(() => place.clear());

const prompt = (text: string) =>
  ({ type: 'command', command: { kind: 'prompt.send', id: randomUUID(), text } }) as const;

function textOnDisk(): string {
  const state = readTail(place.data.session(SESSION));
  const texts = state ? [...entriesFrom(state.entries)].filter(({ kind }) => kind === 'text') : [];
  return texts.map((entry) => ('text' in entry ? entry.text : '')).join('');
}

const isLive = ({ type }: { type: string }) => type === 'live';

// append-buffer.test.ts checks the timing with a test clock.
test('H5 streaming text is on disk before it ends, and a killed host leaves no hole in it', async () => {
  const host = await place.start();
  const client = await host.client();
  client.send({ type: 'follow' });
  client.send(prompt('go'));
  let published = 0;
  await client.until((message) => {
    const appends = message.type === 'live' ? message.appends : [];
    for (const { at, text } of appends) published = Math.max(published, at + text.length);
    return published > 100;
  });
  await expect.poll(() => textOnDisk().length).toBeGreaterThanOrEqual(published);
  endProcess(host.pid);
  await host.exited;
  const kept = textOnDisk();
  expect(kept.length).toBeGreaterThanOrEqual(published);
  // The agent counts, so a hole or a repetition would show.
  const counted = kept.trimEnd().split(' ');
  expect(counted.slice(0, -1).map(Number)).toEqual([...counted.slice(0, -1).keys()]);
});

test('H6 however often hosts are killed, a session never has two agents at once', async () => {
  for (let round = 0; round < 6; round++) {
    const before = place.pids().length;
    const host = await place.start();
    const client = await host.client();
    client.send({ type: 'follow' });
    if (round === 0) client.send(prompt('go'));
    else client.send({ type: 'wake' });
    // At several points: at once, while the agent starts, while it streams.
    if (round % 3 === 1) await expect.poll(() => place.pids().length).toBeGreaterThan(before);
    if (round === 0) await client.until(isLive);
    endProcess(host.pid);
    await host.exited;
  }
  expect(place.pids().length).toBeGreaterThan(1);
  expect(place.overlaps()).toBe('');
});

test('H6 the next host ends an agent that was not registered yet', async () => {
  const host = await place.start();
  const client = await host.client();
  client.send({ type: 'wake' });
  await expect.poll(() => place.ledger.get(`agent-${SESSION}`)).toBeDefined();
  const agent = place.ledger.get(`agent-${SESSION}`);
  // Its watchdog was killed with it, so only the next host can do it.
  freeze(host.pid);
  for (const watchdog of watchdogsOf(host.pid)) endProcess(watchdog);
  endProcess(host.pid);
  await host.exited;
  expect(agent && isRunning(agent.identity)).toBe(true);
  // As if the host was killed between starting and registering its agent.
  place.ledger.remove(`agent-${SESSION}`);
  await place.start();
  expect(agent && isRunning(agent.identity)).toBe(false);
});

/** Watchdog shells of a host: its children by name. */
const watchdogsOf = (host: number) => childrenOf(host).filter((pid) => commandOf(pid).includes(WATCHDOG));

test('H20 a killed host takes its agent and commands along, even after its watchdog was killed', async () => {
  const host = await place.start();
  const client = await host.client();
  client.send(prompt('command'));
  await expect.poll(() => place.pids().length).toBe(2);
  const [first] = watchdogsOf(host.pid);
  endProcess(first ?? 0);
  await expect.poll(() => watchdogsOf(host.pid).filter((pid) => pid !== first).length).toBe(1);
  const [second] = watchdogsOf(host.pid);
  const started = place.pids();
  endProcess(host.pid);
  await host.exited;
  // No other host is started here.
  await expect.poll(() => [...started, second ?? 0].filter(isAlive)).toEqual([]);
  // Also what the command itself had started.
  await expect.poll(() => findByEnvironment(`AGENT_PIDS=${place.root}`)).toEqual([]);
});

test('H20 a clean shutdown dismisses the watchdog', async () => {
  const host = await place.start();
  const client = await host.client();
  const [watchdog] = watchdogsOf(host.pid);
  expect(watchdog).toBeDefined();
  client.send({ type: 'end' });
  await host.exited;
  await waitGone(watchdog ?? 0);
});

test('X1 everything a host creates is private to its owner', async () => {
  const umask = process.umask(0);
  try {
    const host = await place.start();
    const client = await host.client();
    client.send({ type: 'follow' });
    client.send(prompt('go'));
    await client.until(isLive);
    await expect.poll(() => textOnDisk().length).toBeGreaterThan(0);
    const open: string[] = [];
    for (const folder of ['data/sessions', 'data/run', 'data/logs', 'run']) {
      for (const file of readdirSync(join(place.root, folder), { recursive: true, withFileTypes: true })) {
        const path = join(file.parentPath, file.name);
        const mode = statSync(path).mode & 0o777;
        if (mode !== (file.isDirectory() ? 0o700 : 0o600)) open.push(`${path} ${mode.toString(8)}`);
      }
    }
    expect(open).toEqual([]);
  } finally {
    process.umask(umask);
  }
});
