import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readPage, readTail } from '@tugdeck/journal/reader';
import { takeLock } from '@tugdeck/local/lock';
import { MARK } from '@tugdeck/local/process-ending';
import { findByEnvironment } from '@tugdeck/local/process-identity';
import { canUsePidNamespaces } from '@tugdeck/testkit/pid-namespace';
import { programOf } from '@tugdeck/testkit/process-facts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  bundleHost,
  endProcess,
  type HostProcess,
  hostPlace,
  PLACE,
  type Place,
  SESSION,
} from './host-process.ts';

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
const QUICK = { farewellMs: 100, terminateMs: 100, restartMs: 10, leaseMs: 50 };
/** Checks its lock only when it writes. */
const SLOW = { ...QUICK, leaseMs: 600_000 };

const directory = () => place.data.session(SESSION);
const record = () => place.ledger.get(`host-${SESSION}`);
const hostLog = () => readFileSync(join(place.data.logs, `host-${SESSION}.log`), 'utf8');
const journal = () =>
  readdirSync(directory().journal).map((name) => readFileSync(join(directory().journal, name), 'utf8'));

async function streaming(host: HostProcess) {
  const client = await host.client();
  client.send({ type: 'follow' });
  client.send(prompt('go'));
  await client.until(({ type }) => type === 'live');
  return client;
}

describe('a host whose lock was taken', () => {
  test('N2 ends its agent and itself at the next write, and says why', async () => {
    const host = await place.start({ timings: SLOW });
    await streaming(host);
    const mark = record()?.mark ?? '';
    expect(findByEnvironment(MARK, mark)).not.toEqual([]);
    rmSync(directory().lock);
    const stolen = takeLock(directory().lock);
    await host.exited;
    expect(findByEnvironment(MARK, mark)).toEqual([]);
    expect(hostLog()).toContain('the lock of this session was taken or removed');
    expect([record(), existsSync(host.socket)]).toEqual([undefined, false]);
    expect(stolen.isHeld()).toBe(true);
    stolen.release();
  });

  test('N2 writes nothing of a command', async () => {
    const host = await place.start({ timings: SLOW });
    const client = await host.client();
    client.send({ type: 'follow' });
    await client.until(({ type }) => type !== 'protocol_ack');
    rmSync(directory().lock);
    const before = journal();
    client.send(prompt('too late'));
    await host.exited;
    expect(journal()).toEqual(before);
  });

  test('N2 notices it even without anything to write', async () => {
    const host = await place.start({ timings: QUICK });
    rmSync(directory().lock);
    await host.exited;
    expect(hostLog()).toContain('the lock of this session was taken or removed');
    expect(record()).toBeUndefined();
  });

  test("N2 leaves its successor's record, socket and journal alone", async () => {
    const first = await place.start({ timings: SLOW });
    await streaming(first);
    rmSync(directory().lock);
    const second = await place.start({ timings: SLOW });
    await first.exited;
    expect(record()?.identity.pid).toBe(second.pid);
    const client = await second.client();
    const asked = prompt('still there?');
    client.send({ type: 'follow' });
    client.send(asked);
    await client.until((message) => message.type === 'receipt' && message.command === asked.command.id);
    const { entries } = readPage(directory(), readTail(directory())?.nextSeq ?? 0, 100_000);
    expect(entries.map(({ seq }) => seq)).toEqual([...entries.keys()]);
  });
});

// Skipped where pid namespaces are not permitted (no root, a sandbox, macOS).
describe.runIf(canUsePidNamespaces)('two pid namespaces on one data directory', () => {
  const start = (isInNamespace: boolean, timings: Record<string, number> = QUICK) =>
    place.start({ timings }, { isInNamespace });
  // Only for a holder that is known to be dead: a slow machine must not make a living one look dead.
  const HASTY = { ...QUICK, leaseExpiryMs: 300 };
  const tried = (isInNamespace: boolean, timings: Record<string, number> = QUICK): Promise<string> =>
    start(isInNamespace, timings).then(
      () => 'started',
      (error: { code?: string }) => error.code ?? String(error),
    );

  test.each([
    ['here', 'in a namespace', false, true],
    ['in a namespace', 'here', true, false],
    ['in a namespace', 'another namespace', true, true],
  ])(
    'N1 a host %s, then one %s: one writer, and the other after it was killed',
    async (_a, _b, first, second) => {
      const holder = await start(first);
      await streaming(holder);
      const { identity } = record() ?? {};
      expect(await tried(second)).toBe('SESSION_LOCKED');
      expect(record()?.identity).toEqual(identity);
      endProcess(holder.pid);
      await holder.exited;
      // Only its lease shows that it is gone.
      await expect.poll(() => tried(second, HASTY), { interval: 100 }).toBe('started');
      expect(record()?.identity).not.toEqual(identity);
    },
  );

  test('N2 a host stopped for longer than its lease finds a successor and exits', async () => {
    const frozen = await start(true);
    // Not the shells around it, which may have started within the same tick.
    const [inside] = findByEnvironment(PLACE, place.root).filter(
      ({ pid }) => programOf(pid) === realpathSync(process.execPath),
    );
    if (!inside) throw new Error('the host is not among the processes');
    process.kill(inside.pid, 'SIGSTOP');
    await expect.poll(() => tried(false, HASTY), { interval: 100 }).toBe('started');
    const successor = record();
    process.kill(inside.pid, 'SIGCONT');
    await expect
      .poll(() => findByEnvironment(PLACE, place.root).map(({ pid }) => pid))
      .not.toContain(inside.pid);
    expect(record()).toEqual(successor);
    expect(existsSync(successor?.socket ?? '')).toBe(true);
    endProcess(frozen.pid);
  });
});
