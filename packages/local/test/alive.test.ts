/** Whether the process of a record is alive (N1), with planted records and locks. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataDirectory } from '../src/data-directory.ts';
import { type Ledger, type LedgerRecord, openLedger, runLock } from '../src/ledger.ts';
import { hasOwnProc, isOtherMachine, ownPlace, whereabouts } from '../src/place.ts';
import { endTree, MARK, membersOf } from '../src/process-ending.ts';
import {
  findByEnvironment,
  identify,
  isRunning,
  ownIdentity,
  type ProcessIdentity,
} from '../src/process-identity.ts';

let root: string;
let ledger: Ledger;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tugdeck-alive-'));
  ledger = openLedger(dataDirectory(root).ledger, { leaseExpiryMs: 60_000 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const self = ownIdentity();
const far = { ...self, namespace: 'pid:[1]' };
const host = (identity: ProcessIdentity): LedgerRecord => ({
  id: 'host-s',
  purpose: 'host',
  identity,
  session: 's',
});

function plantLock(file: string, holder: object, age = 0): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...holder, name: 'planted' }));
  const at = (statSync(file).mtimeMs - age) / 1000;
  utimesSync(file, at, at);
}
const sessionLock = () => dataDirectory(root).session('s').lock;

test('N1 checks a process in this place by pid and start time, with or without a lock', () => {
  expect(ledger.isAlive(host(self))).toBe(true);
  expect(ledger.isAlive(host({ pid: self.pid, started: self.started }))).toBe(true);
  expect(ledger.isAlive(host({ ...self, started: 'long ago' }))).toBe(false);
});

test('N1 a process in another place is alive while it holds its lock and its lease is valid', () => {
  expect(ledger.isAlive(host(far))).toBe(false);
  plantLock(sessionLock(), far);
  expect(ledger.isAlive(host(far))).toBe(true);
  plantLock(sessionLock(), far, 120_000);
  expect(ledger.isAlive(host(far))).toBe(false);
  plantLock(sessionLock(), { ...far, started: 'a successor' });
  expect(ledger.isAlive(host(far))).toBe(false);
});

test('N1 an agent in another place is alive while any host of that place holds its session', () => {
  const agent: LedgerRecord = { ...host({ ...far, pid: 7, started: '7' }), id: 'agent-s', purpose: 'agent' };
  expect(ledger.isAlive(agent)).toBe(false);
  plantLock(sessionLock(), far);
  expect(ledger.isAlive(agent)).toBe(true);
  plantLock(sessionLock(), self);
  expect(ledger.isAlive(agent)).toBe(false);
});

test.each(['server', 'terminals'] as const)('N1 checks a %s in another place by its lock', (id) => {
  const record: LedgerRecord = { id, purpose: id, identity: far };
  expect(ledger.isAlive(record)).toBe(false);
  plantLock(runLock(root, id), far);
  expect(ledger.isAlive(record)).toBe(true);
  ledger.write(record);
  expect(ledger.hasLeft(record)).toBe(false);
  ledger.breakLock(record);
  expect([ledger.isAlive(record), ledger.hasLeft(record)]).toEqual([false, false]);
  ledger.remove(id);
  expect(ledger.hasLeft(record)).toBe(true);
});

test.runIf(ownPlace().machine)('N1 after a reboot no earlier process is alive, whatever its lease', () => {
  const before = { ...self, boot: 'an earlier boot' };
  plantLock(sessionLock(), before);
  expect(ledger.isAlive(host(before))).toBe(false);
});

test('N1 never signals a pid of another namespace, machine or boot', async () => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const identity = identify(child.pid ?? 0);
  if (!identity) throw new Error('no process');
  try {
    for (const other of [
      { namespace: 'pid:[1]' },
      { machine: 'another', boot: 'another' },
      { boot: 'another' },
      { machine: undefined, boot: 'another' },
    ]) {
      const tree = { identity: { ...identity, ...other }, group: identity.pid };
      expect([isRunning(tree.identity), membersOf(tree)]).toEqual([false, []]);
      expect(await endTree(tree, { farewellMs: 0, terminateMs: 10 })).toEqual([]);
    }
    expect(isRunning(identity)).toBe(true);
  } finally {
    await endTree({ identity }, { farewellMs: 0, terminateMs: 1_000 });
  }
});

test('N1 kills nobody by a group number of another place', async () => {
  const mark = randomUUID();
  // One group: a shell without the mark, and its child with the mark.
  const leader = spawn('sh', ['-c', `${MARK}=${mark} sleep 600 & wait; exec sleep 600`], {
    detached: true,
    stdio: 'ignore',
  });
  const bystander = identify(leader.pid ?? 0);
  if (!bystander) throw new Error('no process');
  try {
    await expect.poll(() => findByEnvironment(MARK, mark)).toHaveLength(1);
    const tree = { identity: { ...bystander, ...far, pid: 1 }, group: bystander.pid, mark };
    expect(await endTree(tree, { farewellMs: 0, terminateMs: 1_000 })).toEqual([]);
    expect([findByEnvironment(MARK, mark), isRunning(bystander)]).toEqual([[], true]);
  } finally {
    await endTree({ identity: bystander }, { farewellMs: 0, terminateMs: 1_000 });
  }
});

test('N1 distinguishes places by machine, boot and namespace', () => {
  const place = { machine: 'm', boot: 'b', namespace: 'n' };
  expect(hasOwnProc()).toBe(true);
  expect(whereabouts(place, place)).toBe('here');
  expect(whereabouts({ ...place, hostname: 'renamed' }, place)).toBe('here');
  expect(whereabouts({}, place)).toBe('here');
  expect(whereabouts({ ...place, boot: 'c' }, place)).toBe('past');
  expect(whereabouts({ ...place, namespace: 'o' }, place)).toBe('elsewhere');
  expect(whereabouts({ ...place, machine: 'o' }, place)).toBe('elsewhere');
  expect(whereabouts({ boot: 'b', namespace: 'n' }, place)).toBe('here');
  expect(whereabouts({ boot: 'c', namespace: 'n' }, place)).toBe('elsewhere');
  expect(whereabouts({ boot: 'c', namespace: 'n' }, { boot: 'b', namespace: 'n' })).toBe('elsewhere');
  expect(isOtherMachine({ boot: 'b' }, place)).toBe(false);
});
