/**
 * Starts hosts from a worker thread, created on first use. `fork` blocks until the child has loaded its program,
 * which takes a tenth of a second on a busy machine. If the thread's program is missing or the thread dies, hosts are
 * started from here.
 */
import { Worker } from 'node:worker_threads';
import { type SpawnedHost, type SpawnOptions, spawnHost } from '@tugdeck/local/spawn-host';
import { type ProcessRequest, startProcess } from '@tugdeck/local/start-process';

export interface StartRequest {
  readonly id: number;
  readonly request: ProcessRequest;
}

export type StartAnswer =
  | { readonly id: number; readonly line: string }
  /** `code` is the system's error code, if any. */
  | { readonly id: number; readonly fault: string; readonly code?: string | undefined };

interface PendingStart {
  readonly request: ProcessRequest;
  readonly resolve: (line: string | Promise<string>) => void;
  readonly reject: (error: Error) => void;
}

/** The thread holds almost no data. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };

export class HostStarter {
  #program: string | undefined;
  #thread: Worker | undefined;
  readonly #pending = new Map<number, PendingStart>();
  #lastId = 0;

  /** `program` is the thread's bundle. */
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
    // A host that the thread had already started may be running. A second one then finds the session locked, and the
    // first is found in the ledger.
    thread.on('error', () => this.#threadLost());
    thread.on('exit', () => this.#threadLost());
    return thread;
  }

  #threadLost(): void {
    this.#thread = undefined;
    const isClosed = this.#program === undefined;
    this.#program = undefined;
    for (const { request, resolve, reject } of this.#pending.values()) {
      if (isClosed) reject(new Error('The server is stopping.'));
      else resolve(startProcess(request));
    }
    this.#pending.clear();
  }
}
