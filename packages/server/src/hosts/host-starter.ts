/**
 * Starts hosts in a thread of its own, made when the first is wanted: whoever forks waits until the child has loaded its
 * program, which takes a tenth of a second on a busy machine, and the server has others to answer meanwhile. Without the
 * thread's program, or when the thread is lost, they are started here.
 */
import { Worker } from 'node:worker_threads';
import { type SpawnedHost, type SpawnOptions, spawnHost } from './spawn-host.ts';
import { type ProcessRequest, startProcess } from './start-process.ts';

export interface StartRequest {
  readonly id: number;
  readonly request: ProcessRequest;
}

export type StartAnswer =
  | { readonly id: number; readonly line: string }
  /** With the code of the system where it refused something. */
  | { readonly id: number; readonly fault: string; readonly code?: string | undefined };

interface PendingStart {
  readonly request: ProcessRequest;
  readonly resolve: (line: string | Promise<string>) => void;
  readonly reject: (error: Error) => void;
}

/** It holds next to nothing. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };

export class HostStarter {
  #program: string | undefined;
  #thread: Worker | undefined;
  readonly #pending = new Map<number, PendingStart>();
  #lastId = 0;

  /** The thread's one file. */
  constructor(program: string | undefined) {
    this.#program = program;
  }

  readonly start = (options: SpawnOptions): Promise<SpawnedHost> =>
    spawnHost(options, (request) => this.#run(request));

  async close(): Promise<void> {
    this.#program = undefined;
    await this.#thread?.terminate();
  }

  #run(request: ProcessRequest): Promise<string> {
    if (this.#program === undefined) return startProcess(request);
    this.#thread ??= this.#startThread(this.#program);
    const id = ++this.#lastId;
    this.#thread.postMessage({ id, request } satisfies StartRequest);
    return new Promise((resolve, reject) => this.#pending.set(id, { request, resolve, reject }));
  }

  #startThread(program: string): Worker {
    const thread = new Worker(program, { resourceLimits: RESOURCE_LIMITS });
    thread.unref();
    thread.on('message', (answer: StartAnswer) => {
      const pending = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      if ('line' in answer) pending?.resolve(answer.line);
      else pending?.reject(Object.assign(new Error(answer.fault), { code: answer.code }));
    });
    // What it had begun may run: then a second one finds its session locked, and the first is found in the ledger.
    thread.on('error', () => this.#threadLost());
    thread.on('exit', () => this.#threadLost());
    return thread;
  }

  #threadLost(): void {
    this.#thread = undefined;
    const isClosed = this.#program === undefined;
    this.#program = undefined;
    for (const { request, resolve, reject } of this.#pending.values()) {
      if (isClosed) reject(new Error('The server ends.'));
      else resolve(startProcess(request));
    }
    this.#pending.clear();
  }
}
