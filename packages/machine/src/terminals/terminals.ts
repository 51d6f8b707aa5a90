/**
 * The terminals of all projects (W1), which run in the terminal host. Finds the host through the ledger after a
 * restart, starts it on demand, and keeps its list. Input and output use separate connections.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { defer } from '@tugdeck/local/defer';
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
  /** The terminal host's bundle. */
  readonly program: string | undefined;
  readonly start: HostStarter['start'];
  readonly config: TerminalHostConfigInput;
  readonly timings: Timings;
  readonly log: Log;
}

/** Retry interval while the host's socket is not listening yet. */
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

  /** Connects to an earlier server's terminal host, or cleans up after one that died. */
  async adopt(): Promise<void> {
    if (this.#running()) await this.#control();
    else await this.#cleanUp();
  }

  async #cleanUp(): Promise<void> {
    const { ledger, timings, log } = this.#options;
    const record = ledger.get(TERMINALS_RECORD);
    if (!record) return;
    const left = await endTree({ ...record, group: undefined }, { ...timings, farewellMs: 0 });
    if (left.length > 0) log.error('some terminal processes could not be ended', { pids: left });
    else ledger.remove(TERMINALS_RECORD);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks a running host; does not start one. */
  async listed(project: string): Promise<TerminalInfo[]> {
    if (this.#link || this.#running()) await this.#control();
    return this.of(project);
  }

  of(project: string): TerminalInfo[] {
    return this.#list.filter((terminal) => terminal.project === project);
  }

  /** Whether the agent's own interface has this session open (A41). */
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

  /** Sends a request on the control link, starting the host if needed. */
  async request(request: Parameters<TerminalLink['request']>[0]): Promise<TerminalInfo | undefined> {
    const link = await this.#control();
    const changed = await link.request(request);
    // Update the list now; the host's own update follows a little later.
    if (changed) this.#setList([...this.#list.filter(({ id }) => id !== changed.id), changed]);
    return changed;
  }

  /** Opens a separate link for one page's terminal. */
  async connect(events: TerminalLinkEvents): Promise<TerminalLink> {
    const record = this.#running();
    if (!record) throw new CodedError('TERMINAL_NOT_FOUND');
    return connectTerminals(addressOf(record), events, this.#options.timings.hostStartMs);
  }

  /** Disconnects from the host; it keeps running. */
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
      // A host that just exited because it was unused gets a successor.
      const record = this.#running() ?? (await this.#start());
      try {
        return await this.#watch(record);
      } catch (error) {
        // A host writes its record before its socket listens.
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
        unreadable: (problem) => log.warn('invalid message from the terminal host', { problem }),
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
    // It exited because it was unused, or died: clean up. If it is running, reconnect.
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

function addressOf({ socket, secret }: LedgerRecord): TerminalAddress {
  if (socket === undefined || secret === undefined) throw new CodedError('TERMINAL_UNAVAILABLE');
  return { socket, secret };
}
