/**
 * Which process listens on a port of this machine's loopback addresses. On Linux from `/proc`, elsewhere from `lsof`.
 * Never signals anything; a process of another user has no pid here.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { platform, userInfo } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MARK } from './process-ending.ts';

export interface Listener {
  readonly port: number;
  /** The address to connect to. */
  readonly address: '127.0.0.1' | '::1';
  /** Changes when another process, or the same one again, starts to listen. */
  readonly key: string;
  /** Undefined for a process of another user. */
  readonly process: ListeningProcess | undefined;
}

export interface ListeningProcess {
  readonly pid: number;
  readonly name: string;
  readonly directory: string | undefined;
  /** The value of `TUGDECK_MARK` in its environment. */
  readonly mark: string | undefined;
}

interface FoundSocket {
  readonly port: number;
  readonly address: '127.0.0.1' | '::1';
  readonly inode: string;
}

const run = promisify(execFile);
const LSOF_MS = 5_000;
/** Number of processes between two pauses. */
const STRIDE = 20;
const LISTENING = '0A';
const IPV4_ANY = '00000000';
const IPV4_LOOPBACK = '0100007F';
const IPV6_ANY = '0'.repeat(32);
const IPV6_LOOPBACK = `${'0'.repeat(24)}01000000`;

/** The listener that a connection to `host` (`localhost`, `127.0.0.1`, `[::1]`) reaches. */
export async function listenerOn(host: string, port: number): Promise<Listener | undefined> {
  const wanted =
    { localhost: ['127.0.0.1', '::1'], '127.0.0.1': ['127.0.0.1'], '[::1]': ['::1'] }[host] ?? [];
  const all = await listeners((socket) => socket.port === port);
  return wanted.map((address) => all.find((each) => each.address === address)).find(Boolean);
}

/** All listeners on loopback addresses whose process is known. */
export async function ownListeners(): Promise<Listener[]> {
  return (await listeners(() => true)).filter(({ process: owner }) => owner !== undefined);
}

/** Whether the same socket still listens: cheaper than `listenerOn`. */
export async function isStillListening({ key, port, address }: Listener): Promise<boolean> {
  if (platform() !== 'linux') return (await lsofListeners()).some((each) => each.key === key);
  return (await linuxSockets()).some(
    (socket) => socket.port === port && socket.address === address && socket.inode === key,
  );
}

async function listeners(fits: (socket: { port: number }) => boolean): Promise<Listener[]> {
  if (platform() !== 'linux') return (await lsofListeners()).filter(fits);
  const sockets = (await linuxSockets()).filter(fits);
  const owners = await linuxOwners(new Set(sockets.map(({ inode }) => inode)));
  return Promise.all(
    sockets.map(async ({ port, address, inode }) => {
      const pid = owners.get(inode);
      return { port, address, key: inode, process: pid === undefined ? undefined : await linuxProcess(pid) };
    }),
  );
}

async function linuxSockets(): Promise<FoundSocket[]> {
  const [four, six] = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'latin1').catch(() => '')),
  );
  return [...parseSockets(four ?? ''), ...parseSockets(six ?? '')];
}

/** Parses `/proc/net/tcp` and `tcp6`. A socket on every IPv6 address also takes IPv4 connections. */
export function parseSockets(text: string): FoundSocket[] {
  return text.split('\n').flatMap((line): FoundSocket[] => {
    const fields = line.trim().split(/\s+/);
    const [, local = '', , state] = fields;
    const inode = fields[9];
    const [host = '', hexPort = ''] = local.split(':');
    if (state !== LISTENING || inode === undefined) return [];
    const found = { port: Number.parseInt(hexPort, 16), inode };
    const four: FoundSocket = { ...found, address: '127.0.0.1' };
    const six: FoundSocket = { ...found, address: '::1' };
    if (host === IPV4_ANY || host === IPV4_LOOPBACK) return [four];
    if (host === IPV6_LOOPBACK) return [six];
    return host === IPV6_ANY ? [four, six] : [];
  });
}

/** The process that holds each socket, of those that we may look into. */
async function linuxOwners(inodes: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const owners = new Map<string, number>();
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const [at, pid] of pids.entries()) {
    if (owners.size === inodes.size) break;
    if (at % STRIDE === 0) await turn();
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(
      descriptors.map((each) => readlink(`/proc/${pid}/fd/${each}`).catch(() => '')),
    );
    for (const link of links) {
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      // A child that inherited the socket comes later, with a higher pid.
      if (inode !== undefined && inodes.has(inode) && !owners.has(inode)) owners.set(inode, Number(pid));
    }
  }
  return owners;
}

async function linuxProcess(pid: number): Promise<ListeningProcess> {
  const [name, directory, environment] = await Promise.all([
    readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
    readlink(`/proc/${pid}/cwd`).catch(() => undefined),
    readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
  ]);
  const mark = environment.split('\0').find((entry) => entry.startsWith(`${MARK}=`));
  return { pid, name: name.trim(), directory, mark: mark?.slice(MARK.length + 1) };
}

async function lsofListeners(): Promise<Listener[]> {
  const args = ['-nP', '-a', '-u', String(userInfo().uid), '-iTCP', '-sTCP:LISTEN', '-Fpcn'];
  const text = await lsof(args);
  const found = parseLsof(text);
  const pids = [...new Set(found.map(({ pid }) => pid))];
  const directories = parseDirectories(await lsof(['-a', '-p', pids.join(','), '-d', 'cwd', '-Fpn']));
  return found.map(({ pid, name, port, address }) => ({
    port,
    address,
    key: `${pid}:${address}:${port}`,
    process: { pid, name, directory: directories.get(pid), mark: undefined },
  }));
}

async function lsof(args: readonly string[]): Promise<string> {
  // Exits with 1 if nothing matches.
  const { stdout } = await run('lsof', [...args], { timeout: LSOF_MS }).catch(() => ({ stdout: '' }));
  return stdout;
}

/** Parses the fields of `lsof -Fpcn`: `p` and `c` once per process, then `n` per socket. */
export function parseLsof(
  text: string,
): { pid: number; name: string; port: number; address: '127.0.0.1' | '::1' }[] {
  let pid = 0;
  let name = '';
  return text.split('\n').flatMap((line): ReturnType<typeof parseLsof> => {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = Number(value);
    else if (line.startsWith('c')) name = value;
    const [, host = '', port = ''] = (line.startsWith('n') && /^(.*):(\d+)$/.exec(value)) || [];
    const found = { pid, name, port: Number(port) };
    if (host === '*')
      return [
        { ...found, address: '127.0.0.1' },
        { ...found, address: '::1' },
      ];
    if (host === '127.0.0.1') return [{ ...found, address: '127.0.0.1' }];
    return host === '[::1]' ? [{ ...found, address: '::1' }] : [];
  });
}

function parseDirectories(text: string): ReadonlyMap<number, string> {
  const directories = new Map<number, string>();
  let pid = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    else if (line.startsWith('n')) directories.set(pid, line.slice(1));
  }
  return directories;
}
