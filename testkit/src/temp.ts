// A sandbox for one test: its own home, project, data and runtime directories, removed afterwards together with
// every process that uses this home. Paths are short, because the paths of Unix sockets in `runtime` are limited
// to about 100 bytes.
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findByEnvironment, kill9, waitFor, waitGone } from './process-facts.ts';

export interface Sandbox {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly data: string;
  readonly runtime: string;
  /** For TMPDIR, so that temporary files of agents are removed too. */
  readonly temp: string;
  /** Pids of live processes that were started with this home. Linux only. */
  strays(): number[];
  /** Kills the strays and removes everything. */
  dispose(): Promise<void>;
}

export interface SandboxOptions {
  /** Files of the project, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Name of the project's folder, for screenshots. */
  readonly projectName?: string;
  /** An existing home and project, which are not removed. */
  readonly kept?: { readonly home: string; readonly project: string } | undefined;
}

const longestRoot = 60;

async function endProcess(pid: number): Promise<void> {
  try {
    kill9(pid);
  } catch (error) {
    // Exited between the listing and the kill.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  await waitGone(pid);
}

async function endAll(strays: () => number[]): Promise<void> {
  // Repeats until none is left: a process may have started a child after the listing and before its end.
  const endRound = async (): Promise<boolean> => {
    const found = strays();
    await Promise.all(found.map(endProcess));
    return found.length === 0;
  };
  await waitFor(endRound, { what: 'the last process of the sandbox to end' });
}

export async function createSandbox({
  files = {},
  kept,
  projectName = 'p',
}: SandboxOptions = {}): Promise<Sandbox> {
  const parent = tmpdir().length < longestRoot - 10 ? tmpdir() : '/tmp';
  // Resolved, because agents report real paths and some systems link their temporary directory.
  const root = await realpath(await mkdtemp(join(parent, 'td-')));
  const folder = async (name: string): Promise<string> => {
    const path = join(root, name);
    await mkdir(path);
    await chmod(path, 0o700);
    return path;
  };
  const [home, project, data, runtime, temp] = await Promise.all([
    kept ? kept.home : folder('h'),
    kept ? kept.project : folder(projectName),
    folder('d'),
    folder('r'),
    folder('t'),
  ]);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), content);
  }
  const strays = (): number[] => findByEnvironment(`HOME=${home}\0`);
  return {
    root,
    home,
    project,
    data,
    runtime,
    temp,
    strays,
    dispose: async () => {
      // An exiting process may still write files, so that the directory is not empty when it is removed.
      const remove = async (): Promise<true> => {
        if (process.platform === 'linux') await endAll(strays);
        await rm(root, { recursive: true, force: true });
        return true;
      };
      await waitFor(remove, { what: `${root} to be removed` });
    },
  };
}
