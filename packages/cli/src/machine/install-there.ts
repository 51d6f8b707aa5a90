/**
 * `tugdeck machine add NAME --install`: copies this program to a machine over the ssh that also carries the link, into
 * `~/.local/lib/tugdeck`. Needs Node there, but no npm and no network.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { UsageError } from '../command-line.ts';
import type { Context } from '../commands/context.ts';
import { compareVersions } from '../doctor/check.ts';
import { OLDEST_NODE } from '../doctor/machine-checks.ts';
import { installedPrograms, version } from '../install.ts';
import { copyPackage } from './package-copy.ts';

const FOLDER = '.local/lib/tugdeck';
const MARK = 'tugdeck-there';
const MAX_OUTPUT = 64 * 1024;

/** Prints the version of Node and the system that native packages depend on. Contains no single quotes, nor do the other scripts. */
const DESCRIBE =
  '[process.versions.node, process.platform, process.arch, process.platform === `linux` ? (process.report.getReport().header.glibcVersionRuntime ? `glibc` : `musl`) : `-`].join(` `)';
const LOOK = `command -v node >/dev/null 2>&1 || { echo ${MARK} none; exit 0; }; echo ${MARK} "$(node -p "${DESCRIBE.replaceAll('`', '\\`')}")"`;

const installScript = (build: string) =>
  [
    `set -e; umask 077; d="$HOME/${FOLDER}"; mkdir -p "$d"; n="$d/.new-$$"; mkdir "$n"`,
    `trap "rm -rf \\"$n\\"" EXIT; tar -xzf - -C "$n"`,
    // A server may be running from the same build.
    `[ -e "$d/${build}" ] || mv "$n" "$d/${build}"`,
    `printf "#!/bin/sh\\nexec \\"%s\\" \\"%s/${build}/dist/tugdeck.mjs\\" \\"\\$@\\"\\n" "$(command -v node)" "$d" > "$d/.start-$$"`,
    `chmod 700 "$d/.start-$$"; mv -f "$d/.start-$$" "$d/tugdeck"; echo ${MARK} done`,
  ].join('; ');

/** The command to reach the machine with, or undefined if the user declined. `command`: the one of `machine add`. */
export async function installThere(
  { line, note, print }: Pick<Context, 'line' | 'note' | 'print'>,
  name: string,
  command: readonly string[],
): Promise<string[] | undefined> {
  const route = routeOf(command);
  const { build } = installedPrograms();
  if (!/^[\w.-]+$/.test(build)) throw new UsageError(`build ${build} can't be installed`);
  const [node = 'none', ...system] = await look(route, name);
  if (node === 'none' || compareVersions(node, OLDEST_NODE) < 0) {
    const found = node === 'none' ? 'not on the PATH of its remote shell' : visibleText(node);
    throw new CodedError(
      'HOST_UNAVAILABLE',
      `${name} needs Node ${OLDEST_NODE} or newer; it is ${found}.`,
      'Install Node there, then try again.',
    );
  }
  if (system.join(' ') !== ownSystem()) {
    throw new CodedError(
      'HOST_UNAVAILABLE',
      `${name} is ${visibleText(system.join(' '))} and this machine ${ownSystem()}, so this program does not run there.`,
      'Run npm pack here or there in a clone, and npm install -g with the file there.',
    );
  }
  const question = `Copy Tugdeck ${version()} (build ${build}) to ~/${FOLDER} on ${name}?`;
  if (!line.flags.has('yes') && !(await confirm(question))) {
    note(`Nothing was copied. ${process.stdin.isTTY ? '' : `${question} Confirm with --yes.`}`.trim());
    return undefined;
  }
  const copy = copyPackage();
  try {
    const tar = spawn('tar', ['-czf', '-', '-C', copy.folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const packed = ended(tar);
    const output = await runThere(route, installScript(build), tar.stdout);
    if ((await packed) !== 0 || !output.includes(`${MARK} done`)) {
      throw new CodedError('HOST_UNAVAILABLE', `Tugdeck could not be copied to ${name}.`);
    }
  } finally {
    copy.remove();
  }
  print(`Copied Tugdeck to ~/${FOLDER} on ${name}. To run it there: ~/${FOLDER}/tugdeck`);
  return [...route, `${FOLDER}/tugdeck`, 'bridge'];
}

/** ssh up to the host. Other programs may not end their arguments with a command for a remote shell. */
function routeOf(command: readonly string[]): string[] {
  const isSsh = basename(command[0] ?? '') === 'ssh';
  const [program = '', last] = command.slice(-2);
  if (!isSsh || last !== 'bridge' || !['tugdeck', `${FOLDER}/tugdeck`].includes(program))
    throw new UsageError('--install needs a command like ssh NAME tugdeck bridge');
  return command.slice(0, -2);
}

function ownSystem(): string {
  const { platform, arch } = process;
  const { header } = (platform === 'linux' ? process.report.getReport() : {}) as {
    header?: { glibcVersionRuntime?: string };
  };
  return [platform, arch, platform === 'linux' ? (header?.glibcVersionRuntime ? 'glibc' : 'musl') : '-'].join(
    ' ',
  );
}

async function look(route: readonly string[], name: string): Promise<string[]> {
  const output = await runThere(route, LOOK);
  const found = output.split('\n').findLast((text) => text.startsWith(MARK));
  if (found === undefined) throw new CodedError('HOST_UNAVAILABLE', `${name} can't be reached.`);
  return found.slice(MARK.length).trim().split(' ');
}

/** Runs a script in the remote shell, whatever that is: ssh joins its arguments with spaces. ssh can use the terminal. */
async function runThere(
  [program = '', ...args]: readonly string[],
  script: string,
  input?: Readable,
): Promise<string> {
  const child = spawn(program, [...args, `exec sh -c '${script}'`], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MAX_OUTPUT);
  });
  child.stdin.on('error', () => undefined); // It ended before it read everything; its exit says why.
  if (input) input.pipe(child.stdin);
  else child.stdin.end();
  const code = await ended(child);
  if (code !== 0) throw new CodedError('HOST_UNAVAILABLE', `${program} ended with exit code ${code}.`);
  return output;
}

async function ended(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once('SIGINT', () => process.exit(130));
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
