/**
 * Another user of the machine, and a victim to attack. The attacker is a user id without an account: the kernel makes no
 * difference, and nothing has to be created or removed. Only root can start its processes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf, kill9, waitGone } from '@tugdeck/testkit/process-facts';
import type { World } from './world.ts';

export const MALLORY = 64_012;
/** In the environment of every command of the victim. */
export const API_KEY = 'sk-of-the-victim';

const PROGRAM = fileURLToPath(new URL('../../dist/tugdeck.mjs', import.meta.url));

export function withoutSecondUser(): string | undefined {
  if (process.platform !== 'linux') return 'it reads /proc as another user';
  return process.getuid?.() === 0 ? undefined : 'only root can run a process as another user';
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A sticky directory that both can write to, as `/tmp` is. */
export class Playground {
  readonly root: string;
  readonly #world: World;
  readonly #started = new Set<ChildProcess>();

  private constructor(world: World) {
    this.#world = world;
    this.root = mkdtempSync(join(tmpdir(), 'tm-'));
    chmodSync(this.root, 0o1777);
  }

  static async use<T>(world: World, attack: (ground: Playground) => Promise<T>): Promise<T> {
    const ground = new Playground(world);
    try {
      return await attack(ground);
    } finally {
      await ground.#end();
    }
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  /** Runs a module as the other user; `say(value)` in it reports a value. Resolves with the first one. */
  async mallory(code: string, ...args: string[]): Promise<unknown> {
    return (await this.malloryStays(code, ...args)).next();
  }

  /** Like `mallory`, for a module that keeps running: yields each reported value. */
  async malloryStays(code: string, ...args: string[]): Promise<{ next(): Promise<unknown>; pid: number }> {
    const head = `
      import * as fs from 'node:fs'; import * as net from 'node:net'; import { join } from 'node:path';
      const args = process.argv.slice(1);
      const say = (value) => fs.writeSync(1, JSON.stringify(value) + '\\n');
      const tryTo = (step) => { try { return step(); } catch (error) { return error.code; } };
    `;
    const child = this.#start(process.execPath, ['--input-type=module', '-e', head + code, ...args], {
      uid: MALLORY,
      gid: MALLORY,
      cwd: '/',
      env: {},
    });
    const lines: string[] = [];
    let wake: () => void = () => undefined;
    let rest = '';
    let err = '';
    let isOver = false;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      wake();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('close', () => {
      isOver = true;
      wake();
    });
    return {
      pid: child.pid ?? 0,
      async next() {
        while (lines.length === 0) {
          if (isOver) throw new Error(`the other user's program ended: ${err}`);
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return JSON.parse(lines.shift() ?? '');
      },
    };
  }

  /** A `tugdeck` command of the victim, with data and runtime directory in the playground unless overridden. */
  tugdeck(words: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
    // Files keep the mode that the program gives them.
    const command = `umask 000; exec "$0" "$@"`;
    return this.#start('sh', ['-c', command, process.execPath, PROGRAM, ...words], {
      cwd: this.#world.deck.sandbox.project,
      env: {
        ...this.#world.deck.environment,
        TUGDECK_DATA_DIR: this.path('data'),
        TUGDECK_RUNTIME_DIR: this.root,
        TUGDECK_NO_OPEN: '1',
        TUGDECK_PORT: '0',
        ANTHROPIC_API_KEY: API_KEY,
        ...environment,
      },
    });
  }

  async run(words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran> {
    const child = this.tugdeck(words, environment);
    let out = '';
    let err = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      // A server that should have been refused does not end by itself.
      if (out.includes('Tugdeck is ready')) child.kill('SIGTERM');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  /** Resolves with the sign-in link of a server that serves. */
  async serve(environment?: Readonly<Record<string, string>>): Promise<{ url: string; pid: number }> {
    const child = this.tugdeck([], environment);
    return new Promise((resolve, reject) => {
      let output = '';
      const take = (text: string) => {
        output += text;
        const url = /^Tugdeck is ready: (\S+)$/m.exec(output)?.[1];
        if (url) resolve({ url, pid: child.pid ?? 0 });
      };
      child.stdout?.setEncoding('utf8').on('data', take);
      child.stderr?.setEncoding('utf8').on('data', take);
      child.once('close', () => reject(new Error(`the server did not start: ${output}`)));
    });
  }

  /** Including the server's reader and hosts, which would continue to write. */
  async #end(): Promise<void> {
    const started = [...this.#started];
    const pids = started.flatMap(({ pid = 0 }) => [pid, ...childrenOf(pid)]);
    for (const pid of pids) {
      try {
        kill9(pid);
      } catch (error) {
        // Already exited.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    await Promise.all(pids.map((pid) => waitGone(pid)));
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  #start(
    command: string,
    args: readonly string[],
    options: { uid?: number; gid?: number; cwd: string; env: Readonly<Record<string, string>> },
  ): ChildProcess {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#started.add(child);
    child.once('close', () => this.#started.delete(child));
    return child;
  }
}
