/**
 * The terminals of all projects (W1), which live in the terminal host: finds it again by the ledger after a restart,
 * starts it on demand, and keeps its list. Output and input go by links of their own and never pass here.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import type { Log } from '@tugdeck/local/log';
import { endTree } from '@tugdeck/local/process-ending';
import { TERMINALS_RECORD, type TerminalHostConfigInput } from '@tugdeck/local/terminal-host-config';
import type { Timings } from '@tugdeck/local/timings';
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { HostStarter } from '../hosts/host-starter.ts';
import {
  connectTerminals,
  type TerminalAddress,
  type TerminalLink,
  type TerminalLinkEvents,
} from './terminal-link.ts';

export interface TerminalsOptions {
  readonly data: DataDirectory;
  readonly ledger: Ledger;
  /** The terminal host's one file. */
  readonly program: string | undefined;
  readonly start: HostStarter['start'];
  readonly config: TerminalHostConfigInput;
  readonly timings: Timings;
  readonly log: Log;
}

/** Between two tries of a host whose socket does not listen yet. */
const POLL_MS = 20;

export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #listeners = new Set<() => void>();
  #link: Promise<TerminalLink> | undefined;
  #list: readonly TerminalInfo[] = [];
  #isClosed = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  /** Finds what an earlier server left, or clears away after a host that died. */
  async adopt(): Promise<void> {
    if (this.#running()) await this.#control();
    else await this.#cleanUp();
  }

  async #cleanUp(): Promise<void> {
    const { ledger, timings, log } = this.#options;
    const record = ledger.get(TERMINALS_RECORD);
    if (!record) return;
    const left = await endTree({ ...record, group: undefined }, { ...timings, farewellMs: 0 });
    if (left.length > 0) log.error('something of a terminal could not be ended', { pids: left });
    else ledger.remove(TERMINALS_RECORD);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at a running host where there is one; starts none. */
  async listed(project: string): Promise<TerminalInfo[]> {
    if (this.#link || this.#running()) await this.#control();
    return this.of(project);
  }

  of(project: string): TerminalInfo[] {
    return this.#list.filter((terminal) => terminal.project === project);
  }

  /** Whether an agent's own interface has this session open (A41). */
  holds(session: string): boolean {
    return this.#list.some(
      ({ runs, state }) => runs.type === 'session' && runs.session === session && state.type === 'running',
    );
  }

  get(project: string, terminal: string): TerminalInfo {
    const found = this.of(project).find(({ id }) => id === terminal);
    if (!found) throw new CodedError('TERMINAL_NOT_FOUND');
    return found;
  }

  /** The link for the list and for what changes it; the host is started if need be. */
  async ask(request: Parameters<TerminalLink['ask']>[0]): Promise<TerminalInfo | undefined> {
    const link = await this.#control();
    const changed = await link.ask(request);
    // The host's own word on the list comes a little later; until then this is as true.
    if (changed) this.#setList([...this.#list.filter(({ id }) => id !== changed.id), changed]);
    return changed;
  }

  /** A link of its own for one page's look at a terminal. */
  async connect(events: TerminalLinkEvents): Promise<TerminalLink> {
    const record = this.#running();
    if (!record) throw new CodedError('TERMINAL_NOT_FOUND');
    return connectTerminals(addressOf(record), events, this.#options.timings.hostStartMs);
  }

  /** Lets go of the host; it runs on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const link = this.#link;
    this.#link = undefined;
    await link?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  #control(): Promise<TerminalLink> {
    if (this.#isClosed) return Promise.reject(new CodedError('TERMINAL_UNAVAILABLE'));
    this.#link ??= this.#connectControl().catch((error: unknown) => {
      this.#link = undefined;
      throw error;
    });
    return this.#link;
  }

  async #connectControl(): Promise<TerminalLink> {
    const deadline = performance.now() + this.#options.timings.hostStartMs;
    for (;;) {
      // One that just left, because nobody needed it until now, has a successor.
      const record = this.#running() ?? (await this.#start());
      try {
        return await this.#watch(record);
      } catch (error) {
        // Its record is written before its socket listens.
        if (this.#isClosed || performance.now() > deadline) throw error;
        await wait(POLL_MS);
      }
    }
  }

  async #watch(record: LedgerRecord): Promise<TerminalLink> {
    const { log, timings } = this.#options;
    const first = defer();
    const link = await connectTerminals(
      addressOf(record),
      {
        received: (message) => {
          if (message.type !== 'terminals') return;
          this.#setList(message.terminals);
          first.resolve();
        },
        unreadable: (problem) => log.warn('terminal host said something unknown', { problem }),
        closed: () => {
          first.reject(new CodedError('TERMINAL_UNAVAILABLE'));
          this.#linkClosed();
        },
      },
      timings.hostStartMs,
    );
    link.send({ type: 'watch' });
    await first.promise;
    return link;
  }

  #linkClosed(): void {
    this.#link = undefined;
    if (this.#isClosed) return;
    this.#setList([]);
    // It ended because nobody needed it, or died: then it is cleared away. One that runs is asked again.
    void this.adopt().catch((error: unknown) =>
      this.#options.log.warn('terminal host lost', { ...reportOf(error) }),
    );
  }

  async #start(): Promise<LedgerRecord> {
    const { program, start, data, config, timings, ledger, log } = this.#options;
    if (program === undefined)
      throw new CodedError('TERMINAL_UNAVAILABLE', 'This build has no terminal host.');
    await this.#cleanUp();
    await start({ program, logs: data.logs, name: 'terminals', config, timeoutMs: timings.hostStartMs });
    const record = ledger.get(TERMINALS_RECORD);
    if (!record) throw new CodedError('TERMINAL_UNAVAILABLE', 'The terminal host is not in the ledger.');
    log.info('terminal host started', { host: record.identity.pid });
    return record;
  }

  #running(): LedgerRecord | undefined {
    const { ledger } = this.#options;
    const record = ledger.get(TERMINALS_RECORD);
    return record && ledger.isAlive(record) ? record : undefined;
  }

  #setList(terminals: readonly TerminalInfo[]): void {
    this.#list = terminals;
    for (const listener of this.#listeners) listener();
  }
}

function defer(): { promise: Promise<void>; resolve: () => void; reject: (error: CodedError) => void } {
  let settle: { resolve: () => void; reject: (error: CodedError) => void } | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}

function addressOf({ socket, secret }: LedgerRecord): TerminalAddress {
  if (socket === undefined || secret === undefined) throw new CodedError('TERMINAL_UNAVAILABLE');
  return { socket, secret };
}
