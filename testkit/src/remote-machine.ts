/**
 * Another machine on this one: a real sshd in its own network, pid and mount namespace, with the same files. Only our
 * own namespaces are addressed. Needs root and Debian's openssh-server, which is downloaded if it is not installed.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { waitFor } from './process-facts.ts';

const CACHE = fileURLToPath(new URL('../../.cache/sshd', import.meta.url));
const INSTALLED = '/usr/sbin/sshd';

export interface RemoteMachine {
  /** Arguments of ssh up to the host, for a carrier. */
  readonly ssh: readonly string[];
  /** Takes the network down, and up again. Nothing is closed: packets are lost. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Why there can be no such machine here, as a sentence. */
export function whyNoRemoteMachine(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'Needs root on Linux.';
  const namespaces = ['--net', '--pid', '--mount', '--kill-child', '--mount-proc', 'true'];
  if (spawnSync('unshare', namespaces, { stdio: 'ignore' }).status !== 0) return 'Needs namespaces.';
  for (const program of ['ip', 'ssh', 'ssh-keygen'])
    if (spawnSync('which', [program], { stdio: 'ignore' }).status !== 0) return `Needs ${program}.`;
  return sshd() ? undefined : 'Needs sshd (Debian: apt-get install openssh-server).';
}

function sshd(): { program: string; libraries: string } | undefined {
  if (existsSync(INSTALLED)) return { program: INSTALLED, libraries: '' };
  const program = join(CACHE, INSTALLED);
  if (!existsSync(program)) {
    mkdirSync(CACHE, { recursive: true });
    const script =
      'apt-get download -q openssh-server libwrap0 && for file in *.deb; do dpkg -x "$file" . || exit 1; done';
    spawnSync('/bin/sh', ['-c', script], { cwd: CACHE, stdio: 'ignore', timeout: 20_000 });
  }
  if (!existsSync(program)) return undefined;
  return {
    program,
    libraries: join(CACHE, 'usr/lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
  };
}

let count = 0;

interface SshdOptions {
  /** For keys and configuration. */
  readonly folder: string;
  readonly home: string;
  /** Of programs that ssh starts. */
  readonly environment: Readonly<Record<string, string>>;
  readonly listen: readonly string[];
}

/** Writes keys and configuration. `script` starts sshd in a mount namespace. */
function prepareSshd({ folder, home, environment, listen }: SshdOptions): {
  script: string;
  variables: NodeJS.ProcessEnv;
} {
  const found = sshd();
  if (!found) throw new Error('no sshd');
  const file = (name: string, text: string, mode = 0o600) => {
    writeFileSync(join(folder, name), text, { mode });
    return join(folder, name);
  };
  for (const key of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, key)]);
  const passwd = file(
    'passwd',
    `root:x:0:0::${home}:/bin/sh\nsshd:x:101:65534::/run/sshd:/usr/sbin/nologin\nnobody:x:65534:65534::/:/usr/sbin/nologin\n`,
    0o644,
  );
  execFileSync('cp', [join(folder, 'user.pub'), join(folder, 'authorized')]);
  const variables = Object.entries(environment).map(([name, value]) => `${name}="${value}"`);
  const config = file(
    'sshd_config',
    [
      ...[...listen, `HostKey ${join(folder, 'host')}`, `AuthorizedKeysFile ${join(folder, 'authorized')}`],
      ...['StrictModes no', 'PermitRootLogin yes', 'PasswordAuthentication no', 'UsePAM no'],
      ...['PrintMotd no', `SetEnv ${variables.join(' ')}`, `PidFile ${join(folder, 'sshd.pid')}`],
      // Campaigns connect often.
      'MaxStartups 1000',
    ].join('\n'),
  );
  return {
    script: [
      `mount --bind ${passwd} /etc/passwd`,
      'mount -t tmpfs none /run && mkdir -p /run/sshd',
      `exec ${found.program} -D -e -f ${config}`,
    ].join(' && '),
    variables: {
      PATH: process.env.PATH,
      ...(found.libraries ? { LD_LIBRARY_PATH: found.libraries } : {}),
    },
  };
}

/** Arguments of ssh up to the host. */
function sshTo(folder: string, address: string, port = 22): string[] {
  return [
    ...['ssh', '-F', '/dev/null', '-T', '-i', join(folder, 'user'), '-o', 'IdentitiesOnly=yes'],
    ...['-o', 'StrictHostKeyChecking=accept-new', '-o', `UserKnownHostsFile=${join(folder, 'known')}`],
    ...['-o', 'LogLevel=ERROR', '-o', 'ConnectTimeout=2', '-p', String(port), `root@${address}`],
  ];
}

/** Keeps the end of what a program writes to stderr. */
function outputOf(program: ChildProcess): () => string {
  let said = '';
  program.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  return () => said;
}

export interface LocalSshd {
  readonly port: number;
  /** Arguments of ssh up to the host, through this port. */
  ssh(port?: number): readonly string[];
  close(): Promise<void>;
}

/** A real sshd on a free port of loopback, for tests whose other machine uses servers of this one. */
export async function startLocalSshd(
  folder: string,
  home: string,
  environment: Readonly<Record<string, string>>,
): Promise<LocalSshd> {
  const port = await freePort();
  const listen = [`Port ${port}`, 'ListenAddress 127.0.0.1'];
  const { script, variables } = prepareSshd({ folder, home, environment, listen });
  const child = spawn('unshare', ['--mount', '--fork', '--kill-child', '/bin/sh', '-c', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: variables,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const said = outputOf(child);
  await waitFor(() => said().includes('Server listening'), { what: 'sshd to listen' }).catch(() => {
    throw new Error(`sshd does not listen: ${said()}`);
  });
  return {
    port,
    ssh: (to = port) => sshTo(folder, '127.0.0.1', to),
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** `folder`: for keys and configuration. `environment`: of programs that ssh starts there. */
export async function startRemoteMachine(
  folder: string,
  home: string,
  environment: Readonly<Record<string, string>>,
): Promise<RemoteMachine> {
  const network = `10.213.${process.pid % 250}.${(count++ % 60) * 4}`;
  const address = (last: number) => network.replace(/\d+$/, (base) => String(Number(base) + last));
  const device = `td${process.pid % 100_000}${count}`;
  const { script: start, variables } = prepareSshd({ folder, home, environment, listen: ['Port 22'] });
  const script = [
    // Before this, its network is still ours.
    'echo inside >&2',
    'while ! ip link show peer >/dev/null 2>&1; do sleep 0.02; done',
    `ip link set lo up && ip addr add ${address(2)}/30 dev peer && ip link set peer up`,
    start,
  ].join(' && ');
  const machine: ChildProcess = spawn(
    'unshare',
    ['--net', '--pid', '--mount', '--fork', '--kill-child', '--mount-proc', '/bin/sh', '-c', script],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: variables,
    },
  );
  const said = outputOf(machine);
  const ended = new Promise<void>((resolve) => machine.once('exit', () => resolve()));
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'ignore' });
  await waitFor(() => said().includes('inside'), { what: `the namespaces: ${said()}` });
  ip('link', 'add', device, 'type', 'veth', 'peer', 'name', 'peer', 'netns', String(machine.pid));
  ip('addr', 'add', `${address(1)}/30`, 'dev', device);
  ip('link', 'set', device, 'up');
  await waitFor(() => said().includes('Server listening'), { what: `sshd to listen: ${said()}` });
  return {
    ssh: sshTo(folder, address(2)),
    cut: () => ip('link', 'set', device, 'down'),
    mend: () => {
      ip('link', 'set', device, 'up');
    },
    async close() {
      machine.kill('SIGKILL');
      await ended;
      spawnSync('ip', ['link', 'del', device], { stdio: 'ignore' });
    },
  };
}
