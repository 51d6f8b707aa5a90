/**
 * Kills this process with SIGKILL before its Nth change of the disk, for tests of every moment of an operation: calls of
 * git that only read don't count. Git is called through a program that counts; it keeps running after the kill, like a git
 * that outlives its server. All points are in `folder`, numbered in the order in which they began, each with its name.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { waitGone } from '@tugdeck/testkit/process-facts';

const NAME = 'name';
const PID = 'git';
const CHANGES = {
  'node:fs': ['copyFileSync', 'mkdirSync', 'renameSync', 'rmSync', 'symlinkSync', 'writeFileSync'],
  'node:fs/promises': ['copyFile', 'cp', 'mkdir', 'open', 'rename', 'rm', 'rmdir', 'symlink', 'writeFile'],
} as const;
const READS =
  'cat-file check-attr check-ignore check-ref-format diff-files diff-tree for-each-ref ls-files ls-tree rev-list rev-parse status';
/** Copies of configuration and lists of patterns, which every process creates again. */
const TEMPORARY = /\/tugdeck-(?:git|copy)-|\/\.cache\/run\//;

/** Counts until the returned function is called; kills at `point`, never if it is 0. */
export function killBefore(point: number, folder: string): () => void {
  let isOver = false;
  const write = writeFileSync;
  const make = mkdirSync;
  const points = join(folder, 'points');
  make(points, { recursive: true });
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const reads = [
    ...READS.split(' ').map((name) => `"--no-pager ${name} "*`),
    '*" worktree list "*',
    '*" config --file - "*',
  ].join('|');
  const script = `#!/bin/sh
PATH=\${PATH#*:}
[ -e '${folder}/over' ] && exec '${real}' "$@"
case "$*" in
  ${reads}) exec '${real}' "$@" ;;
esac
at=1
while ! mkdir '${points}'/$at 2>/dev/null; do at=$((at + 1)); done
echo $$ > '${points}'/$at/${PID}
echo "git $*" > '${points}'/$at/${NAME}
[ $at = ${point} ] && kill -9 ${process.pid}
exec '${real}' "$@"
`;
  const bin = join(folder, 'bin');
  make(bin, { recursive: true });
  write(join(bin, 'git'), script, { mode: 0o755 });
  process.env.PATH = `${bin}:${process.env.PATH}`;

  function reach(name: string): void {
    for (let at = readdirSync(points).length + 1; ; at++) {
      try {
        make(join(points, String(at)));
      } catch {
        continue; // A git call has this number.
      }
      write(join(points, String(at), NAME), name);
      if (at === point) process.kill(process.pid, 'SIGKILL');
      return;
    }
  }
  const load = createRequire(import.meta.url);
  for (const [module, names] of Object.entries(CHANGES)) {
    const functions = load(module) as Record<string, (...args: unknown[]) => unknown>;
    for (const name of names) {
      const change = functions[name];
      if (!change) throw new Error(`no ${name}`);
      functions[name] = (...args) => {
        const what = `${name} ${args.filter((one) => typeof one === 'string').join(' ')}`;
        if (!isOver && !TEMPORARY.test(what)) reach(what);
        return change(...args);
      };
    }
  }
  syncBuiltinESMExports();
  return () => {
    isOver = true;
    write(join(folder, 'over'), '');
  };
}

/** The change that the process was killed before, once a git call that outlived it has ended; undefined if none. */
export async function pointReached(point: number, folder: string): Promise<string | undefined> {
  const at = join(folder, 'points', String(point));
  if (!existsSync(join(at, NAME))) return undefined;
  const name = readFileSync(join(at, NAME), 'utf8').trim();
  // The next server waits for a checkout itself.
  const isAwaited = existsSync(join(at, PID)) && !name.includes('worktree add');
  if (isAwaited) await waitGone(Number(readFileSync(join(at, PID), 'utf8')));
  return name;
}
