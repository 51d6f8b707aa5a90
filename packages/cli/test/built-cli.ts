/** The real `tugdeck` program, bundled once like the build does, with a session host that has no agent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FAKE_HOST = resolve(ROOT, 'packages/machine/test/fake-host.mjs');

interface Bundler {
  bundleForNode(
    entry: string,
    options: { root: string; external: (id: string) => boolean; format: 'esm' | 'cjs' },
  ): Promise<{ code: string }>;
}

export interface RunResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface BuiltCli {
  /** A package root with `dist/tugdeck.mjs`. */
  readonly root: string;
  remove(): void;
}

/** `host`: the session host's program, by default one without an agent. */
export async function buildCli(host: string = FAKE_HOST): Promise<BuiltCli> {
  // Inside the clone, so that the native package is found.
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const root = mkdtempSync(join(ROOT, '.cache', 'cli-test-'));
  mkdirSync(join(root, 'dist'));
  const bundler: Bundler = await import(pathToFileURL(join(ROOT, 'scripts/parts/bundle.mjs')).href);
  const bundle = async (entry: string, file: string) => {
    const { code } = await bundler.bundleForNode(join(ROOT, entry), {
      root: ROOT,
      external: (id) => ['libsql', 'bufferutil', 'utf-8-validate'].includes(id),
      format: file.endsWith('.cjs') ? 'cjs' : 'esm',
    });
    writeFileSync(join(root, 'dist', file), code);
  };
  await bundle('packages/cli/src/main.ts', 'tugdeck.mjs');
  await bundle('packages/keeper/src/main.ts', 'keeper.cjs');
  const programs = { host, keeper: 'keeper.cjs', build: 'test-build' };
  writeFileSync(join(root, 'dist', 'programs.json'), JSON.stringify(programs));
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ version: '1.2.3', dependencies: { libsql: '*' } }),
  );
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export class CliPlace {
  readonly base = mkdtempSync(join(tmpdir(), 'tugdeck-cli-'));
  readonly data = join(this.base, 'data');
  readonly project = join(this.base, 'project');
  readonly #cli: BuiltCli;
  readonly #running = new Set<ChildProcess>();

  constructor(cli: BuiltCli) {
    this.#cli = cli;
    mkdirSync(this.project);
    mkdirSync(this.data, { mode: 0o700 });
    writeFileSync(join(this.base, 'agent'), '#!/bin/sh\n', { mode: 0o755 });
    this.configure({});
  }

  configure(config: Record<string, unknown>): void {
    const agents = { tester: { command: join(this.base, 'agent'), protocol: 'acp' } };
    const timings = { farewellMs: 200, terminateMs: 200 };
    writeFileSync(
      join(this.data, 'config.json'),
      JSON.stringify({ port: 0, agent: 'tester', agents, timings, ...config }),
    );
  }

  spawn(words: readonly string[], environment: Record<string, string> = {}): ChildProcess {
    return this.launch(process.execPath, [this.program, ...words], environment);
  }

  get program(): string {
    return join(this.#cli.root, 'dist', 'tugdeck.mjs');
  }

  /** Any program with the command's environment; ended with the place. */
  launch(command: string, args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
    const child = spawn(command, args, {
      cwd: this.project,
      env: {
        PATH: '/usr/bin:/bin',
        HOME: this.base,
        TUGDECK_DATA_DIR: this.data,
        TUGDECK_RUNTIME_DIR: this.base,
        TUGDECK_NO_OPEN: '1',
        ...environment,
      },
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  run(words: readonly string[], environment: Record<string, string> = {}): Promise<RunResult> {
    return this.outputOf(this.spawn(words, environment));
  }

  /** A program's output until it exits. */
  outputOf(child: ChildProcess): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      let out = '';
      let err = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        out += chunk.toString();
      });
      child.stderr?.on('data', (chunk: Buffer) => {
        err += chunk.toString();
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, out, err }));
    });
  }

  /** Starts the server and resolves with its address once it is ready. */
  async start(
    words: readonly string[] = [],
    environment: Record<string, string> = {},
    /** Limit of open files for each of its processes. */
    maxFiles?: number,
  ) {
    const limited = ['-c', `ulimit -n ${maxFiles} && exec "$@"`, 'sh', process.execPath, this.program];
    const child =
      maxFiles === undefined
        ? this.spawn(words, environment)
        : this.launch('/bin/sh', [...limited, ...words], environment);
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const url = await new Promise<string>((resolve, reject) => {
      let out = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        const found = /^Tugdeck is ready: (\S+)$/m.exec(out)?.[1];
        if (found) resolve(found);
      });
      let err = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        err += chunk.toString();
      });
      child.once('close', () => reject(new Error(`it ended: ${out}${err}`)));
    });
    return { child, url, exited };
  }

  async clear(): Promise<void> {
    await this.run(['stop', '--all']);
    // A killed process may still create files until it is gone.
    const gone = [...this.#running].map((child) => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      return exited;
    });
    await Promise.all(gone);
    rmSync(this.base, { recursive: true, force: true });
  }
}
