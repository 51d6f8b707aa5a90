/**
 * Servers, hosts and agents on both sides of a pid namespace, sharing one data directory (N1 to N3), with the real
 * programs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger, runLock } from '@tugdeck/local/ledger';
import { ownPlace } from '@tugdeck/local/place';
import { ownIdentity, type ProcessIdentity } from '@tugdeck/local/process-identity';
import { canUsePidNamespaces, inPidNamespace } from '@tugdeck/testkit/pid-namespace';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleHost } from '../../host/test/host-process.ts';
import { type BuiltCli, buildCli, CliPlace, type RunResult } from './built-cli.ts';

const AGENT = fileURLToPath(new URL('../../host/test/stubborn-agent.mjs', import.meta.url));

let cli: BuiltCli;
let host: string;
let place: CliPlace;
beforeAll(async () => {
  host = await bundleHost();
  cli = await buildCli(host);
});
afterAll(() => cli.remove());
beforeEach(() => {
  place = new CliPlace(cli);
  place.configure({
    agents: {
      tester: {
        command: process.execPath,
        args: [AGENT],
        protocol: 'acp',
        env: { AGENT_PIDS: join(place.base, 'pids'), AGENT_OVERLAPS: join(place.base, 'overlaps') },
      },
    },
    timings: { farewellMs: 200, terminateMs: 200, leaseMs: 200 },
  });
  mkdirSync(join(place.base, 'hidden'));
});
afterEach(() => place.clear());

const ledger = () => openLedger(dataDirectory(place.data).ledger);
/** A server that is gone may leave its record, which nobody uses. */
const recorded = () =>
  ledger()
    .read()
    .filter(({ purpose }) => purpose !== 'server');
const isRecorded = (purpose: string) =>
  ledger()
    .read()
    .some((record) => record.purpose === purpose);

/** Our processes on either side; this side sees both. Without the test's own shells and commands. */
function running(): string[] {
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [command = '', program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        .split('\0')
        .filter((word) => !word.startsWith('--'));
      const ours = [host, place.program, AGENT].includes(program) && command.endsWith('node');
      if (ours && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(place.base))
        found.push(`${pid} ${program}`);
    } catch {
      // Already exited.
    }
  }
  return found;
}

const START = '"$NODE" "$TUGDECK" & until "$NODE" "$TUGDECK" status; do sleep 0.1; done; ';
const SEND = '"$NODE" "$TUGDECK" send --new --trust go; ';

function shell(script: string, hidden: string | undefined, stays: boolean) {
  const { command, args } = inPidNamespace(['/bin/sh', '-c', script], { hidden, stays });
  // A path hidden inside the namespace differs from ours.
  const runtime = hidden === undefined ? {} : { TUGDECK_RUNTIME_DIR: hidden };
  return place.launch(command, args, { NODE: process.execPath, TUGDECK: place.program, ...runtime });
}

/** Runs a server with a session whose agent works, on the other side. */
async function workInNamespace(hidden?: string): Promise<ReturnType<typeof shell>> {
  const child = shell(`${START}${SEND}wait`, hidden, true);
  await agentStreams();
  return child;
}

async function workHere(): Promise<void> {
  await place.start();
  expect(await place.run(['send', '--new', '--trust', 'go'])).toMatchObject({ code: 0 });
  await agentStreams();
}

async function agentStreams(): Promise<void> {
  await expect
    .poll(() => ['server', 'host', 'agent'].filter(isRecorded))
    .toEqual(['server', 'host', 'agent']);
}

const stopAll = (isInNamespace: boolean, hidden?: string): Promise<RunResult> =>
  isInNamespace
    ? place.outputOf(shell('"$NODE" "$TUGDECK" stop --all', hidden, false))
    : place.run(['stop', '--all'], hidden === undefined ? {} : { TUGDECK_RUNTIME_DIR: place.base });

// Skipped where pid namespaces are not allowed (no root, a sandbox, macOS).
describe.runIf(canUsePidNamespaces)('stop --all leaves nothing running', () => {
  test.each([
    ['processes in the namespace, ended from outside', true, false],
    ['processes in the namespace, ended from outside without sockets', true, true],
    ['processes outside, ended from the namespace', false, false],
    ['processes outside, ended from the namespace without sockets', false, true],
  ])('N1 %s', async (_title, worksApart, isHidden) => {
    const hidden = isHidden ? join(place.base, 'hidden') : undefined;
    // Inside the namespace, what this side created in the directory is not visible.
    if (worksApart) await workInNamespace(hidden);
    else if (isHidden) {
      await place.start([], { TUGDECK_RUNTIME_DIR: hidden ?? '' });
      expect(await place.run(['send', '--new', '--trust', 'go'])).toMatchObject({ code: 0 });
      await agentStreams();
    } else await workHere();
    await expect.poll(running).toHaveLength(3);
    const ran = await stopAll(!worksApart, hidden);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Ended 1 session.') });
    expect(ran.out).toContain('Server stopped.');
    expect(ledger().read()).toEqual([]);
    await expect.poll(running).toEqual([]);
  });

  test('N1 processes killed on the other side block nobody and are not listed', async () => {
    const child = await workInNamespace();
    child.kill('SIGKILL');
    await expect.poll(running).toEqual([]);
    expect(await stopAll(false)).toMatchObject({ code: 0 });
    expect(recorded()).toEqual([]);
    await place.start();
  });
});

describe.runIf(canUsePidNamespaces)('one server', () => {
  test('N1 a call in the namespace opens its directory in the server outside, and vice versa', async () => {
    const { url } = await place.start();
    const handed = await place.outputOf(shell('"$NODE" "$TUGDECK" "$HOME"', undefined, false));
    expect(handed).toMatchObject({ code: 0, out: expect.stringContaining(new URL(url).origin) });
    expect(JSON.parse((await place.run(['status', '--json'])).out).projects).toHaveLength(2);
  });

  test('N1 a server here adopts hosts left by one in the namespace', async () => {
    await workInNamespace();
    const before = ledger()
      .read()
      .find(({ purpose }) => purpose === 'host');
    expect(await place.run(['stop'])).toMatchObject({ code: 0, out: 'Server stopped.\n' });
    await place.start();
    await expect
      .poll(async () => JSON.parse((await place.run(['status', '--json'])).out).hosts)
      .toMatchObject([{ session: before?.session, turn: 'running' }]);
    expect(ledger().get(before?.id ?? '')).toEqual(before);
    expect(readFileSync(join(place.base, 'pids'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  test('N1 an unreachable server is named with its place and advice', async () => {
    await workInNamespace(join(place.base, 'hidden'));
    const ran = await place.run(['status']);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('HOST_UNAVAILABLE') });
    expect(ran.err).toContain('in another container or pid namespace');
    expect(ran.err).toContain('tugdeck stop');
  });

  test('N2 a server whose lock is gone stops and says why; its sessions keep running', async () => {
    const { child, exited } = await place.start();
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await place.run(['send', '--new', '--trust', 'go']);
    await agentStreams();
    const server = ledger().get('server');
    if (!server) throw new Error('no server');
    ledger().breakLock(server);
    expect(await exited).toBe(1);
    // Output may arrive after the exit.
    await expect.poll(() => output).toContain("this server's lock");
    expect(ledger().get('server')).toBeUndefined();
    expect(isRecorded('host')).toBe(true);
    expect(readFileSync(join(place.data, 'logs', 'server.log'), 'utf8')).toContain('removed the server lock');
  });
});

describe('leftovers of another place', () => {
  const SESSION = '11111111-2222-4333-8444-555555555555';
  const plant = (other: Partial<ProcessIdentity>) => {
    const identity = { ...ownIdentity(), ...other };
    const session = SESSION;
    const data = dataDirectory(place.data);
    const lock = (file: string) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ ...identity, name: 'planted' }));
    };
    lock(runLock(place.data, 'server'));
    lock(data.session(session).lock);
    const socket = join(place.base, 'nowhere.sock');
    ledger().write({ id: 'server', purpose: 'server', identity, socket });
    ledger().write({ id: `host-${session}`, purpose: 'host', identity, session, socket, secret: 'x' });
    ledger().write({ id: `agent-${session}`, purpose: 'agent', identity, session, group: identity.pid });
  };

  test.runIf(ownPlace().machine)(
    'N1 after a reboot, stop finds nothing to end, and a server starts',
    async () => {
      plant({ boot: 'an earlier boot' });
      expect(await place.run(['stop', '--all'])).toEqual({
        code: 0,
        out: 'No server is running.\nEnded 0 sessions.\n',
        err: '',
      });
      expect(recorded()).toEqual([]);
      plant({ boot: 'an earlier boot' });
      await place.start();
    },
  );

  test('N1 after a reboot, records and locks of an older version block nobody', async () => {
    plant({
      pid: process.pid,
      started: 'before',
      ...{ machine: undefined, boot: undefined, namespace: undefined },
    });
    expect(await place.run(['stop', '--all'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('No server'),
    });
    await place.start();
  });

  test.runIf(ownPlace().machine)('N1 processes of a machine that is off are named once', async () => {
    plant({ machine: 'another', boot: 'another', hostname: 'devbox' });
    ledger().remove('server');
    const ran = await place.run(['stop', '--all']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(
      `Could not confirm that process ${process.pid} on another machine (devbox) ended`,
    );
    // Its lock is gone, so it exits if it comes back.
    expect(existsSync(dataDirectory(place.data).session(SESSION).lock)).toBe(false);
    expect(await place.run(['stop', '--all'])).toMatchObject({ code: 0 });
    expect(recorded()).toEqual([]);
  });
});

describe('data directory of another machine', () => {
  const file = () => join(place.data, 'machine.json');
  const useOtherMachine = () =>
    writeFileSync(
      file(),
      JSON.stringify({
        machines: [{ id: '7b0a1f5e-3c43-4e0a-9f6e-0d6a3a0f9d11', system: 'another', hostname: 'devbox' }],
      }),
    );
  const ids = () => JSON.parse(readFileSync(file(), 'utf8')).machines.map(({ id }: { id: string }) => id);

  test.runIf(ownPlace().machine)('N3 is refused with advice, and no server keeps running', async () => {
    useOtherMachine();
    const ran = await place.run([]);
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('MACHINE_CHANGED') });
    expect(ran.err).toContain('another machine, devbox');
    expect(ran.err).toContain('--machine new');
    expect(await place.run(['status'])).toMatchObject({ code: 1 });
    expect(ids()).toHaveLength(1);
  });

  test.runIf(ownPlace().machine).each([
    ['new', ['--machine', 'new'], {}, 2],
    ['moved', ['--machine', 'moved'], {}, 1],
    ['new, by its variable', [], { TUGDECK_MACHINE: 'new' }, 2],
  ])(
    'N3 with --machine %s it starts, also next time without it',
    async (_title, words, environment, count) => {
      useOtherMachine();
      const first = await place.start(words, environment);
      first.child.kill('SIGTERM');
      await first.exited;
      expect(ids()).toHaveLength(count);
      await place.start();
    },
  );

  test('N3 any other value is a usage error', async () => {
    expect(await place.run(['--machine', 'mine'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('new or moved'),
    });
  });

  test.runIf(process.platform === 'linux' && ownPlace().machine)(
    'N3 in a terminal the user is asked',
    async () => {
      useOtherMachine();
      const child = place.launch('script', [
        '-qefc',
        `'${process.execPath}' '${place.program}'`,
        '/dev/null',
      ]);
      let output = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      await expect.poll(() => output).toContain('n or m?');
      expect(output).toContain('another machine, devbox');
      child.stdin?.write('n\n');
      await expect.poll(() => output).toContain('Tugdeck is ready');
      expect(ids()).toHaveLength(2);
    },
  );
});
