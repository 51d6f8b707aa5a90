/** `tugdeck bridge` with the real command: what another machine's deck reaches through it. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { findServer } from '@tugdeck/gateway/control/find-server';
import { connectLink, type Link } from '@tugdeck/link/connect-link';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { isRunning } from '@tugdeck/local/process-identity';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

let cli: BuiltCli;
let place: CliPlace;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli.remove());
beforeEach(() => {
  place = new CliPlace(cli);
});
afterEach(() => place.clear());

async function bridge(): Promise<{ child: ChildProcess; link: Link; exited: Promise<number | null> }> {
  const child = place.spawn(['bridge']);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (!child.stdin || !child.stdout) throw new Error('no pipes');
  return { child, exited, link: await connectLink(child.stdout, child.stdin) };
}

const server = () => findServer(dataDirectory(place.data).ledger);

/** Sockets that a process listens on. */
function listening(pid: number): string[] {
  const open = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
  expect(open.length).toBeGreaterThan(0);
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'latin1').split('\n'))
    .filter((line) => {
      const [, , , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === '0A' && open.includes(`socket:[${inode}]`);
    });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // Closed since.
  }
}

test('N5 starts one server for any number of bridges, which outlives them', async () => {
  const bridges = await Promise.all([bridge(), bridge(), bridge()]);
  const pid = server()?.identity.pid;
  expect(pid).toBeDefined();
  const ids = bridges.map(({ link }) => link.greeted.machine);
  expect(new Set(ids).size).toBe(1);
  for (const { link } of bridges) expect(await link.machine.status()).toMatchObject({ projects: [] });
  const project = await bridges[0]?.link.machine.openProject(place.project, {}, { trust: false });
  expect((await bridges[1]?.link.machine.status())?.projects).toMatchObject([{ id: project }]);
  for (const { link, exited } of bridges) {
    link.close();
    expect(await exited).toBe(0);
  }
  expect(server()?.identity.pid).toBe(pid);
  const identity = server()?.identity;
  expect(identity && isRunning(identity)).toBe(true);
});

test('N5 the bridge listens nowhere and ends with its stdin, its server, or a signal', async () => {
  const first = await bridge();
  expect(listening(first.child.pid ?? 0)).toEqual([]);
  first.child.stdin?.end();
  expect(await first.exited).toBe(0);
  await first.link.closed;

  const second = await bridge();
  second.child.kill('SIGTERM');
  expect(await second.exited).toBe(0);

  const third = await bridge();
  await place.run(['stop']);
  expect(await third.exited).toBe(0);
  await third.link.closed;
});

test('N5 a server that cannot start is explained on stderr, with nothing on stdout', async () => {
  place.configure({ host: '0.0.0.0' });
  const { code, out, err } = await place.run(['bridge']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('Run tugdeck serve there to see why.');
});
