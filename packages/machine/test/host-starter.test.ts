/**
 * Starts hosts from a thread, and from the server itself without a thread or after it died. The real thread runs in
 * e2e.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { expect, onTestFinished, test } from 'vitest';
import { HostStarter } from '../src/hosts/host-starter.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'tugdeck-starter-'));
const written = (root: string, name: string, text: string) => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};
/** Reports its address at once, with its configuration as the secret. */
const HOST = `import { readFileSync, writeSync } from 'node:fs';
const { say } = JSON.parse(readFileSync(0, 'utf8'));
writeSync(3, say + '\\n');`;
const ready = (secret: string) => JSON.stringify({ socket: '/s', secret });

function starterWith(thread: string | undefined) {
  const root = folder();
  const starter = new HostStarter(thread === undefined ? undefined : written(root, 'thread.mjs', thread));
  onTestFinished(() => starter.close());
  const program = written(root, 'host.mjs', HOST);
  const start = (say: string, name = 'host') =>
    starter.start({ program, logs: join(root, 'logs'), name, config: { say }, timeoutMs: 60_000 });
  return { starter, start };
}

test('H1 without a thread the server starts the host itself', async () => {
  expect(await starterWith(undefined).start(ready('here'))).toEqual({ socket: '/s', secret: 'here' });
});

test('H1 uses the thread’s answers in any order, and reports its errors', async () => {
  const { start } = starterWith(`import { parentPort } from 'node:worker_threads';
const kept = [];
parentPort.on('message', ({ id, request }) => {
  kept.push({ id, line: JSON.parse(request.input).say });
  if (kept.length < 3) return;
  const [, second, third] = kept;
  parentPort.postMessage(third);
  parentPort.postMessage({ id: kept[0].id, fault: 'The host did not start in time.' });
  parentPort.postMessage(second);
});`);
  const all = await Promise.allSettled([start(ready('1')), start(ready('2')), start('no JSON')]);
  expect(all[1]).toEqual({ status: 'fulfilled', value: { socket: '/s', secret: '2' } });
  const faults = [all[0], all[2]].map((one) => (one?.status === 'rejected' ? one.reason : undefined));
  expect(faults).toEqual([
    new CodedError('HOST_UNAVAILABLE', 'The host did not start in time.'),
    new CodedError('HOST_UNAVAILABLE', "The host's answer is not JSON."),
  ]);
});

test('H1 starts of a lost thread are done by the server, and later ones too', async () => {
  const { start } = starterWith(`import { parentPort } from 'node:worker_threads';
parentPort.on('message', () => process.exit(1));`);
  expect(await start(ready('first'))).toMatchObject({ secret: 'first' });
  expect(await start(ready('second'))).toMatchObject({ secret: 'second' });
});

test('S2 disk errors are reported as such, with a thread, without one, and after one was lost', async () => {
  const starter = starterWith(`import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id }) => parentPort.postMessage({ id, fault: 'read-only', code: 'EROFS' }));`);
  await expect(starter.start('')).rejects.toMatchObject({ code: 'EROFS', message: 'read-only' });
  await expect(starterWith(undefined).start('', 'no/such')).rejects.toMatchObject({ code: 'ENOENT' });
  const lost = starterWith("throw new Error('lost');");
  await expect(lost.start('', 'no/such')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('H1 closing cancels pending starts', async () => {
  const { starter, start } = starterWith(`import { parentPort } from 'node:worker_threads';
parentPort.on('message', () => undefined);`);
  const waiting = start(ready('never'));
  await Promise.all([starter.close(), expect(waiting).rejects.toMatchObject({ code: 'HOST_UNAVAILABLE' })]);
});
