/**
 * Another machine as the deck uses it: keeps a link to it, which it opens again after each loss (N8), and a copy of its rows (N12, N13).
 * Channels that are opened while it is offline wait until it is back.
 */
import type { Log } from '@tugdeck/local/log';
import type {
  AreaChannel,
  AreaOutput,
  Channel,
  Machine,
  PageChannel,
  PageRequest,
} from '@tugdeck/machine/port';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Carrier } from './carrier.ts';
import { connectLink, type Link } from './connect-link.ts';
import { type RowChange, RowCopy } from './row-copy.ts';

export interface LinkedMachineOptions {
  readonly name: string;
  readonly startCarrier: () => Carrier;
  /** Where the copy of its rows is stored. */
  readonly file: string;
  readonly log: Log;
  /** The log of links (N25). */
  readonly audit?: Pick<Log, 'info'>;
  readonly now: () => number;
  /** Whether an id belongs to this machine or another link, so that this one may not use it (N21). */
  readonly isTaken: (id: string) => boolean;
  /** Another name under which the same machine is already linked, if any (N6). */
  readonly otherName: (machine: string) => string | undefined;
  readonly changed: (change: RowChange) => void;
}

export interface LinkState {
  readonly state: 'connecting' | 'online' | 'offline';
  /** When it was last reached; undefined if never. */
  readonly seenAt?: number | undefined;
  /** Why it cannot be reached. */
  readonly fault?: string | undefined;
  readonly build?: string | undefined;
}

const RARELY_MS: readonly number[] = [5_000, 10_000, 20_000, 30_000];
/** For a machine that was never reached. */
const FIRST_MS: readonly number[] = [1_000, 2_000, ...RARELY_MS];
/** After a lost link: retries at most two seconds apart for a minute, then rarely. */
const LOST_MS: readonly number[] = [
  250,
  500,
  1_000,
  ...Array.from({ length: 30 }, () => 2_000),
  ...RARELY_MS,
];

type Online = { readonly link: Link; readonly carrier: Carrier };

export class LinkedMachine {
  readonly name: string;
  readonly rows: RowCopy;
  readonly #options: LinkedMachineOptions;
  #state: LinkState = { state: 'connecting' };
  #online: Online | undefined;
  /** The machine's own id, once it was reached. */
  #id: string | undefined;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #closeCarrier: () => void = () => undefined;
  #isClosed = false;
  #cycle: Promise<void> = Promise.resolve();
  readonly #waiting = new Set<(machine: Machine | undefined) => void>();

  constructor(options: LinkedMachineOptions) {
    this.#options = options;
    this.name = options.name;
    this.rows = new RowCopy({
      machine: options.name,
      file: options.file,
      isTaken: options.isTaken,
      changed: options.changed,
      log: options.log,
    });
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Whether there is a link now; `state` changes only when its carrier has ended. */
  get isOnline(): boolean {
    return this.#online !== undefined;
  }

  get machineId(): string | undefined {
    return this.#online && this.#id;
  }

  async start(): Promise<void> {
    const seenAt = await this.rows.load();
    if (this.#isClosed) return;
    this.#set({ state: 'connecting', seenAt });
    this.#connect();
  }

  /** Tries again now. */
  retry(): void {
    if (this.#isClosed || this.#state.state !== 'offline') return;
    this.#attempts = 0;
    this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#online?.link.close();
    this.#closeCarrier();
    for (const wake of this.#waiting) wake(undefined);
    await this.#cycle;
    await this.rows.close();
  }

  /** The port while it is online. Throws a coded error that names the machine otherwise. */
  get port(): Machine {
    const machine = this.#online?.link.machine;
    if (machine) return machine;
    const { fault } = this.#state;
    throw new CodedError(
      'HOST_UNAVAILABLE',
      `${this.name} is offline.`,
      fault ?? 'Tugdeck reconnects automatically.',
    );
  }

  openChannel(session: string, send: (messages: readonly string[]) => void): PageChannel {
    const waiting = this.#waitFor((machine) => machine.openChannel(session, send));
    return Object.assign(waiting.channel, {
      request: (request: PageRequest) => waiting.inner()?.request(request),
    });
  }

  openArea(name: string, about: unknown, out: AreaOutput): AreaChannel {
    const waiting = this.#waitFor((machine) => machine.openArea(name, about, out));
    return Object.assign(waiting.channel, {
      call: async (message: Readonly<Record<string, unknown>>) => {
        await waiting.channel.opened;
        return waiting.inner()?.call(message);
      },
      bytes: (data: Uint8Array) => waiting.inner()?.bytes(data),
    });
  }

  /** Opens a channel as soon as the machine is online. */
  #waitFor<C extends Channel>(
    open: (machine: Machine) => C,
  ): { channel: Channel; inner: () => C | undefined } {
    let inner: C | undefined;
    let isPaused = false;
    let isClosed = false;
    const run = async (): Promise<void> => {
      for (;;) {
        const machine = await this.whenOnline();
        if (isClosed) return;
        if (!machine)
          throw new CodedError('HOST_UNAVAILABLE', `${this.name} is no longer one of your machines.`);
        const opening = open(machine);
        inner = opening;
        if (isPaused) opening.pause();
        try {
          await opening.opened;
          void opening.lost?.then(ended);
          return;
        } catch (error) {
          // The link broke before the machine could answer: try again with the next one.
          if (isClosed || this.#online?.link.machine === machine) throw error;
        }
      }
    };
    let ended: () => void = () => undefined;
    const lost = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const opened = run();
    opened.catch(() => undefined);
    return {
      inner: () => inner,
      channel: {
        opened,
        lost,
        pause() {
          isPaused = true;
          inner?.pause();
        },
        resume() {
          isPaused = false;
          inner?.resume();
        },
        close() {
          isClosed = true;
          inner?.close();
        },
      },
    };
  }

  /** Undefined if the machine was removed. */
  whenOnline(): Promise<Machine | undefined> {
    if (this.#online || this.#isClosed) return Promise.resolve(this.#online?.link.machine);
    return new Promise((resolve) => {
      const wake = (machine: Machine | undefined) => {
        this.#waiting.delete(wake);
        resolve(machine);
      };
      this.#waiting.add(wake);
    });
  }

  #connect(): void {
    clearTimeout(this.#timer);
    const { startCarrier, log } = this.#options;
    this.#cycle = this.#run(startCarrier()).catch((error: unknown) =>
      log.error('link', { machine: this.name, error }),
    );
  }

  /** One link, from its start to its end. */
  async #run(carrier: Carrier): Promise<void> {
    const { log, audit, otherName, now } = this.#options;
    this.#closeCarrier = () => carrier.close();
    let fault: string | undefined;
    try {
      const link = await connectLink(carrier.from, carrier.to);
      const other = otherName(link.greeted.machine);
      if (other !== undefined) {
        link.close();
        if (this.#attempts === 0) audit?.info('refused', { machine: this.name, as: other });
        throw new CodedError('HOST_UNAVAILABLE', `This is the same machine as ${other}.`);
      }
      log.info('machine online', { machine: this.name, build: link.greeted.build });
      audit?.info('online', {
        ...{ machine: this.name, id: link.greeted.machine, build: link.greeted.build },
        ...(this.#id === undefined || this.#id === link.greeted.machine ? {} : { before: this.#id }),
      });
      this.#id = link.greeted.machine;
      this.#online = { link, carrier };
      this.#attempts = 0;
      const deck = link.machine.openDeck((push) => this.rows.apply(push));
      this.#set({ state: 'online', seenAt: now(), build: link.greeted.build });
      for (const wake of [...this.#waiting]) wake(link.machine);
      // Without its rows a machine is of no use.
      void deck.lost?.then(() => link.close());
      deck.opened.catch(() => link.close());
      await link.closed;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      fault = error.message;
    } finally {
      const wasOnline = this.#online !== undefined;
      this.#online = undefined;
      carrier.close();
      await carrier.ended;
      if (wasOnline) {
        log.info('machine offline', { machine: this.name });
        audit?.info('offline', { machine: this.name, reason: carrier.errors() || fault });
      }
      this.#retryLater(carrier.errors() || fault, wasOnline);
    }
  }

  #retryLater(fault: string | undefined, wasOnline: boolean): void {
    if (this.#isClosed) return;
    const { now } = this.#options;
    const delays = this.#id === undefined ? FIRST_MS : LOST_MS;
    const delay = delays[Math.min(this.#attempts, delays.length - 1)] ?? 0;
    this.#attempts++;
    const seenAt = wasOnline ? now() : this.#state.seenAt;
    if (wasOnline) this.rows.offline(now());
    this.#set({ state: 'offline', seenAt, fault });
    this.#timer = setTimeout(() => this.#connect(), delay);
    this.#timer.unref();
  }

  #set(state: LinkState): void {
    const before = this.#state;
    this.#state = state;
    if (before.state !== state.state || before.fault !== state.fault) this.#options.changed({ type: 'head' });
  }
}
