/** The terminal host in another pid namespace: `stop --all` still ends it and its programs (N1, N2). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { MARK } from '@tugdeck/local/process-ending';
import { findByEnvironment } from '@tugdeck/local/process-identity';
import { TERMINALS_RECORD, type TerminalHostConfigInput } from '@tugdeck/local/terminal-host-config';
import { withTimings } from '@tugdeck/local/timings';
import { canUsePidNamespaces, inPidNamespace } from '@tugdeck/testkit/pid-namespace';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleTerminalHost } from '../../terminal-host/test/bundled-host.ts';
import { endTerminals } from '../src/terminals/end-terminals.ts';
import { connectTerminals } from '../src/terminals/terminal-link.ts';

const TIMINGS = { terminateMs: 300, leaseMs: 50 };

let program: string;
let root: string;
let hosts: ChildProcess[];
beforeAll(async () => {
  program = await bundleTerminalHost();
});
afterAll(() => rmSync(dirname(program), { recursive: true, force: true }));
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tda-'));
  mkdirSync(join(root, 'run'), { mode: 0o700 });
  hosts = [];
});
afterEach(async () => {
  for (const host of hosts) {
    const isGone = host.exitCode !== null || host.signalCode !== null;
    const exited = isGone ? undefined : once(host, 'exit');
    host.kill('SIGKILL');
    await exited;
  }
  rmSync(root, { recursive: true, force: true });
});

const ledger = () => openLedger(dataDirectory(join(root, 'data')).ledger);

/** Starts a terminal host with a shell whose child ignores hang-ups. Resolves with the mark of both. */
async function openTerminals(inNamespace: boolean): Promise<string> {
  const words = [process.execPath, program];
  const { command, args } = inNamespace
    ? inPidNamespace(words, { stays: true })
    : { command: process.execPath, args: [program] };
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit', 'pipe'] });
  hosts.push(child);
  const config: TerminalHostConfigInput = {
    dataDirectory: join(root, 'data'),
    runtimeDirectory: join(root, 'run'),
    timings: TIMINGS,
  };
  child.stdin?.end(JSON.stringify(config));
  const ready = child.stdio[3];
  if (!ready) throw new Error('no descriptor to read from');
  const [line] = (await once(ready, 'data')) as [Buffer];
  const ignore = () => undefined;
  const events = { received: ignore, unreadable: ignore, closed: ignore };
  const link = await connectTerminals(JSON.parse(line.toString()), events, 10_000);
  await link.request({
    type: 'create',
    terminal: 't',
    project: 'p',
    runs: { type: 'shell' },
    size: { cols: 80, rows: 24 },
    launch: {
      file: '/bin/sh',
      args: ['-c', 'trap "" HUP; nohup setsid sleep 600 & wait'],
      directory: root,
      environment: { PATH: process.env.PATH ?? '' },
    },
  });
  link.close();
  const mark = ledger().get(TERMINALS_RECORD)?.mark ?? '';
  await expect.poll(() => findByEnvironment(MARK, mark).length).toBeGreaterThanOrEqual(2);
  return mark;
}

// Skipped where pid namespaces are not allowed (no root, a sandbox, macOS).
describe.runIf(canUsePidNamespaces)('a terminal host in another pid namespace', () => {
  test('N1 is ended through its socket, and no process of its terminals is left', async () => {
    const mark = await openTerminals(true);
    expect(await endTerminals(ledger(), withTimings(TIMINGS))).toEqual({ terminals: 1, left: [] });
    expect([findByEnvironment(MARK, mark), ledger().read()]).toEqual([[], []]);
  });

  test('N1 N2 loses its lock if its socket is unreachable, and exits', async () => {
    const mark = await openTerminals(true);
    const record = ledger().get(TERMINALS_RECORD);
    if (!record) throw new Error('no record');
    ledger().write({ ...record, socket: join(root, 'nowhere.sock') });
    expect(await endTerminals(ledger(), withTimings(TIMINGS))).toEqual({ terminals: 0, left: [] });
    expect([findByEnvironment(MARK, mark), ledger().read()]).toEqual([[], []]);
  });
});

test('N2 a terminal host whose lock is gone ends its terminals and exits', async () => {
  const mark = await openTerminals(false);
  const [host] = hosts;
  if (!host) throw new Error('no host');
  const exited = once(host, 'exit');
  const record = ledger().get(TERMINALS_RECORD);
  if (record) ledger().breakLock(record);
  await exited;
  expect([findByEnvironment(MARK, mark), ledger().read()]).toEqual([[], []]);
});
