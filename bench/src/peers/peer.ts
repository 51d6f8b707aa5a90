/** A product that is measured beside ours: how to prepare and start it, and how to open the conversation. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { childrenOf, kill9, waitFor } from '@tugdeck/testkit/process-facts';
import type { Page } from 'playwright-core';
import { processMemory } from '../kit/process-memory.ts';

export interface Peer {
  readonly name: string;
  /** Resolves when it serves its page. */
  start(): Promise<void>;
  /** Signs in on a fresh page; not part of the measured time. */
  signIn(page: Page): Promise<void>;
  /** The URL of the conversation. */
  address(): string;
  /** PSS of all its processes, in megabytes. */
  memory(): number;
  stop(): Promise<void>;
  dispose(): Promise<void>;
}

const START_MS = 120_000;
const ASK_MS = 2_000;

/** A third-party program that serves a page. */
export class ServedProgram {
  #child: ChildProcess | undefined;

  async start(
    command: string,
    words: readonly string[],
    options: { readonly cwd: string; readonly env: Record<string, string>; readonly url: string },
  ): Promise<void> {
    const child = spawn(command, words, { cwd: options.cwd, env: options.env, stdio: 'ignore' });
    this.#child = child;
    const isServed = async () => {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      // A connection that is opened too early may never be answered.
      return fetch(options.url, { signal: AbortSignal.timeout(ASK_MS) }).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await waitFor(isServed, { what: options.url, timeoutMs: START_MS });
  }

  memory(): number {
    return treeMemory(this.#child?.pid ?? 0);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    for (const pid of treeOf(child.pid)) kill9(pid);
    await ended;
  }
}

function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

export function treeMemory(pid: number): number {
  return treeOf(pid).reduce((sum, one) => sum + processMemory(one).proportional, 0);
}
