/**
 * The running session hosts (H1): finds them through the ledger, starts them on demand, recovers unfinished work of
 * hosts that died, and ends the longest-idle one at the limit. Never ends a working host and never folds a session. How
 * many agents work is up to the slots.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { isElsewhere } from '@tugdeck/local/end-elsewhere';
import type { HostConfigInput } from '@tugdeck/local/host-config';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { lockedElsewhere } from '@tugdeck/local/lock';
import type { Log } from '@tugdeck/local/log';
import { isOtherMachine } from '@tugdeck/local/place';
import { endTree } from '@tugdeck/local/process-ending';
import { isSameProcess } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { AgentSession } from '@tugdeck/protocol/wire/host-link';
import { connectHost, type HostAddress } from './host-connection.ts';
import type { HostStarter } from './host-starter.ts';
import { addressOf, isIdle, type LiveHost, type LiveHosts } from './live-host.ts';
import { RestartBudget } from './restart-budget.ts';
import { type SlotLimits, Slots } from './slots.ts';
import { hasUnfinishedWork } from './unfinished-work.ts';

export interface HostPoolOptions {
  readonly live: LiveHosts;
  readonly data: DataDirectory;
  readonly ledger: Ledger;
  readonly program: string;
  readonly start: HostStarter['start'];
  readonly limits: () => SlotLimits;
  readonly timings: Timings;
  readonly log: Log;
  readonly now: () => number;
  /** The host's start configuration, once its directory is there; throws a coded error if it cannot start. */
  readonly launch: (session: string) => HostConfigInput | Promise<HostConfigInput>;
}

export interface HostListener {
  started?(session: string): void;
  /** `fault` is set if the host left unfinished work that was not resumed. */
  ended?(session: string, fault?: CodedError): void;
  summary?(session: string, summary: Summary): void;
  /** The sessions that the session's agent lists for that directory (A40). */
  listed?(session: string, sessions: readonly AgentSession[]): void;
}

/** How often to check a process that is about to exit. */
const POLL_MS = 20;
/** A process that still runs this long after its link closed is reconnected. */
const RECONNECT_AFTER_MS = 200;
/** How long to retry while another process holds the session's lock. */
const LOCK_RETRY_MS = 1_000;
/** A host of another build is replaced after being idle for this long (H10). */
const REPLACE_IDLE_MS = 1_000;

export class HostPool {
  readonly #options: HostPoolOptions;
  readonly #live: LiveHosts;
  /** Sessions whose host is being found or started. */
  readonly #starting = new Map<string, Promise<HostAddress | undefined>>();
  readonly #probes = new Map<string, Promise<void>>();
  readonly #restarts: RestartBudget;
  readonly #listeners = new Set<HostListener>();
  /** Decides which of the hosts may work. */
  readonly slots: Slots;
  #closed = false;

  constructor(options: HostPoolOptions) {
    this.#options = options;
    this.#live = options.live;
    this.#restarts = new RestartBudget(options.now, options.timings);
    this.slots = new Slots({
      live: options.live,
      limits: options.limits,
      endIfIdle: (session) => this.endIfIdle(session),
      log: options.log,
    });
  }

  subscribe(listener: HostListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  isLive(session: string): boolean {
    return this.#live.has(session);
  }

  list(): readonly LiveHost[] {
    return [...this.#live.values()];
  }

  /** Returns the session's host if one is running or starting. */
  async find(session: string): Promise<HostAddress | undefined> {
    const starting = this.#starting.get(session);
    if (starting) return starting.catch(() => undefined);
    return this.#live.get(session)?.address;
  }

  /** Returns the session's host, starting it if needed. */
  async ensure(session: string): Promise<HostAddress> {
    await this.#probes.get(session);
    const found = await this.#starting.get(session);
    const live = this.#live.get(session);
    if (found && live) return found;
    if (live && live.end !== 'now') return live.address;
    if (live) await this.#waitUntilGone(live);
    const address = await (this.#starting.get(session) ?? this.#track(session, () => this.#start(session)));
    if (!address) throw new CodedError('HOST_UNAVAILABLE');
    return address;
  }

  /** Like `ensure`, but counted against the restart budget. For callers whose host just died. */
  async respawn(session: string): Promise<HostAddress> {
    const address = await this.find(session);
    if (address) return address;
    if (!this.#restarts.isExhausted(session)) return this.ensure(session);
    throw diedTooOften();
  }

  /** Takes over from an earlier server: adopts running hosts, recovers or cleans up dead ones. */
  async adopt(): Promise<void> {
    const records = this.#options.ledger.read();
    const hosts = records.filter(({ purpose, session }) => purpose === 'host' && session !== undefined);
    const known = new Set(hosts.map(({ session }) => session));
    const orphans = records.filter(({ purpose, session }) => purpose === 'agent' && !known.has(session));
    await Promise.all([
      ...hosts.map((record) =>
        this.#track(record.session ?? '', () => this.#adoptOne(record)).catch((error: unknown) =>
          this.#options.log.warn('host not adopted', { session: record.session, ...reportOf(error) }),
        ),
      ),
      ...orphans.map((record) => this.#reapAgent(record)),
    ]);
    this.slots.open();
  }

  /** Checks whether a host is alive after a link to it closed. Resolves when the result is known. */
  probe(session: string): Promise<void> {
    const host = this.#live.get(session);
    if (!host || this.#closed) return Promise.resolve();
    const running = this.#probes.get(session);
    if (running) return running;
    const probe = this.#probeHost(host).finally(() => this.#probes.delete(session));
    this.#probes.set(session, probe);
    return probe;
  }

  /** Asks a host to shut down itself and its agent. */
  end(session: string): void {
    const host = this.#live.get(session);
    if (!host || host.end === 'now') return;
    host.end = 'now';
    host.watch?.send({ type: 'end' });
  }

  /** Ends an idle host, so that the next start uses the current configuration. False if it was not asked. */
  endIfIdle(session: string): boolean {
    const host = this.#live.get(session);
    if (!host || !isIdle(host) || host.end === 'now') return false;
    host.end = 'if-idle';
    host.watch?.send({ type: 'end', ifIdle: true });
    return true;
  }

  /** Ends the host and waits until it is gone, so that none of our processes writes to the session. */
  async release(session: string): Promise<void> {
    await this.#starting.get(session);
    const host = this.#live.get(session);
    if (!host) return;
    this.end(session);
    await this.#waitUntilGone(host);
  }

  /** Disconnects from all hosts, which keep running. Waits for hosts that are still starting. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const host of this.#live.values()) host.watch?.close();
    this.#live.clear();
    await Promise.allSettled([...this.#starting.values(), ...this.#probes.values()]);
  }

  #track(session: string, find: () => Promise<HostAddress | undefined>): Promise<HostAddress | undefined> {
    const starting = find().finally(() => this.#starting.delete(session));
    this.#starting.set(session, starting);
    return starting;
  }

  async #adoptOne(record: LedgerRecord): Promise<HostAddress | undefined> {
    const session = record.session ?? '';
    const { ledger } = this.#options;
    try {
      if (ledger.isAlive(record)) return await this.#attachWithRetry(session, record);
    } catch (error) {
      if (!this.#closed && ledger.isAlive(record)) throw error;
    }
    if (this.#closed) return undefined;
    if (!isOtherMachine(record.identity)) return this.#recover(session, record);
    // Work left by another machine is only resumed when someone opens the session here.
    ledger.remove(record.id);
    return undefined;
  }

  async #start(session: string): Promise<HostAddress> {
    const { ledger, log } = this.#options;
    // An earlier server may have spawned a host just before it was killed.
    const running = this.#runningHost(session);
    if (running) return this.#attachWithRetry(session, running);
    this.slots.makeRoom();
    await this.#spawn(session);
    const record = ledger.get(`host-${session}`);
    if (!record) throw new CodedError('HOST_UNAVAILABLE', 'The session host is not in the ledger.');
    log.info('host started', { session, host: record.identity.pid });
    return this.#attachWithRetry(session, record);
  }

  async #spawn(session: string): Promise<void> {
    const { program, start, data, timings } = this.#options;
    const config = await this.#options.launch(session);
    const since = performance.now();
    for (;;) {
      try {
        const name = `host-${session}`;
        await start({ program, logs: data.logs, name, config, timeoutMs: timings.hostStartMs });
        return;
      } catch (error) {
        // The previous host may still be exiting, or the running one may not be in the ledger yet.
        const isLocked = error instanceof CodedError && error.code === 'SESSION_LOCKED';
        if (!isLocked || this.#closed || performance.now() - since > LOCK_RETRY_MS) throw error;
        await wait(POLL_MS);
        if (this.#runningHost(session)) return;
      }
    }
  }

  #runningHost(session: string): LedgerRecord | undefined {
    const { ledger } = this.#options;
    const record = ledger.get(`host-${session}`);
    return record && ledger.isAlive(record) ? record : undefined;
  }

  /** Retries, because a host writes its record before its socket listens. */
  async #attachWithRetry(session: string, record: LedgerRecord): Promise<HostAddress> {
    const { ledger, timings } = this.#options;
    const isRemote = isElsewhere(record);
    const deadline = performance.now() + (isRemote ? LOCK_RETRY_MS : timings.hostStartMs);
    for (;;) {
      try {
        return await this.#attach(session, record);
      } catch (error) {
        const isLate = performance.now() > deadline;
        if (this.#closed || isLate || !ledger.isAlive(record)) {
          throw isRemote && isLate ? lockedElsewhere(record.identity) : error;
        }
        await wait(POLL_MS);
      }
    }
  }

  async #attach(session: string, record: LedgerRecord): Promise<HostAddress> {
    const address = addressOf(record);
    if (!address) throw new CodedError('HOST_UNAVAILABLE');
    const host: LiveHost = {
      session,
      record,
      address,
      watch: undefined,
      summary: undefined,
      summaryAt: this.#options.now(),
      end: 'no',
    };
    await this.#watch(host);
    if (this.#closed) {
      host.watch?.close();
      throw new CodedError('HOST_UNAVAILABLE');
    }
    this.#live.set(session, host);
    for (const listener of this.#listeners) listener.started?.(session);
    return address;
  }

  async #watch(host: LiveHost): Promise<void> {
    const { log, timings } = this.#options;
    host.watch = await connectHost(
      host.address,
      {
        received: (batch) => {
          for (const message of batch) {
            if (message.type === 'summary') this.#summaryReceived(host, message.summary);
            else if (message.type === 'listed')
              for (const listener of this.#listeners) listener.listed?.(host.session, message.sessions);
          }
        },
        unreadable: (problem) => log.warn('invalid message from host', { session: host.session, problem }),
        closed: () =>
          void this.probe(host.session).catch((error: unknown) =>
            log.error('host is running but not responding', { session: host.session, ...reportOf(error) }),
          ),
      },
      timings.hostStartMs,
    );
    host.watch.send({ type: 'watch', slots: 'grant' });
  }

  #summaryReceived(host: LiveHost, summary: Summary): void {
    host.summary = summary;
    host.summaryAt = this.#options.now();
    for (const listener of this.#listeners) listener.summary?.(host.session, summary);
    this.slots.reported(host.session);
    if (host.record.program !== this.#options.program && isIdle(host)) void this.#replaceWhenIdle(host);
  }

  async #replaceWhenIdle(host: LiveHost): Promise<void> {
    const seen = host.summaryAt;
    await wait(REPLACE_IDLE_MS, undefined, { ref: false });
    if (this.#live.get(host.session) !== host || host.summaryAt !== seen || !isIdle(host)) return;
    this.#options.log.info('host of another build replaced', { session: host.session });
    this.endIfIdle(host.session);
  }

  async #probeHost(host: LiveHost): Promise<void> {
    const since = performance.now();
    const { ledger } = this.#options;
    while (ledger.isAlive(host.record)) {
      const isLeaving = host.end === 'now' || !ledger.get(host.record.id);
      if (!isLeaving && performance.now() - since > RECONNECT_AFTER_MS) {
        try {
          host.watch?.close();
          await this.#watch(host);
          return;
        } catch (error) {
          if (performance.now() - since > this.#options.timings.hostStartMs) throw error;
        }
      }
      await wait(POLL_MS);
    }
    await this.#hostEnded(host);
  }

  async #hostEnded(host: LiveHost): Promise<void> {
    const { session, record } = host;
    if (this.#closed || this.#live.get(session) !== host) return;
    host.watch?.close();
    this.#live.delete(session);
    this.slots.ended(session);
    const left = this.#options.ledger.get(record.id);
    const isClean = !left || !isSameProcess(left.identity, record.identity);
    this.#options.log.info('host ended', { session, clean: isClean });
    let fault: CodedError | undefined;
    if (!isClean) {
      this.#restarts.recordDeath(session);
      try {
        await this.#track(session, () => this.#recover(session, left));
      } catch (error) {
        this.#options.log.error('host not restarted', { session, ...reportOf(error) });
        fault = error instanceof CodedError ? error : new CodedError('HOST_UNAVAILABLE');
      }
      if (this.#restarts.isExhausted(session)) fault = diedTooOften();
    }
    if (!this.#live.has(session)) for (const listener of this.#listeners) listener.ended?.(session, fault);
  }

  /** Recovers after a crash: restarts the host if it left unfinished work, otherwise removes its record. */
  async #recover(session: string, record: LedgerRecord): Promise<HostAddress | undefined> {
    const { data, ledger, log } = this.#options;
    const hasUnfinished = await hasUnfinishedWork(session, data, ledger);
    // The next server recovers it.
    if (this.#closed) return undefined;
    if (!hasUnfinished) ledger.remove(record.id);
    if (!hasUnfinished) return undefined;
    if (this.#restarts.isExhausted(session)) {
      log.error('host died too often, not restarting', { session });
      return undefined;
    }
    log.warn('host died with unfinished work, restarting', { session });
    return this.#start(session);
  }

  async #waitUntilGone(host: LiveHost): Promise<void> {
    await this.probe(host.session);
    await this.#probes.get(host.session);
  }

  async #reapAgent(record: LedgerRecord): Promise<void> {
    const { ledger, timings, log } = this.#options;
    const left = await endTree(record, timings);
    if (left.length > 0) log.error('could not end an agent without a host', { session: record.session });
    else ledger.remove(record.id);
  }
}

function diedTooOften(): CodedError {
  return new CodedError('HOST_UNAVAILABLE', 'The session host crashed several times in a row.');
}
