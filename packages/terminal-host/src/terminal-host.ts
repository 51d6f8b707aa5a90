/**
 * All terminals of this machine's user in one process that outlives the server: makes them, finds them, lets links
 * look at them, and leaves when none is left and nobody has looked for a while. Knows no PTY and no socket itself.
 */
import type { Timings } from '@tugdeck/local/timings';
import { TERMINAL_LIMITS, type TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import type { TerminalRequest } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Attachment } from './attachment.ts';
import type { Link } from './link.ts';
import { Terminal } from './terminal.ts';

export interface TerminalHostOptions {
  readonly timings: Pick<Timings, 'terminateMs' | 'terminalStallMs' | 'terminalIdleMs'>;
  readonly now: () => number;
  /** Marks everything that runs in a terminal, so that it can be proven ours. */
  readonly mark: Readonly<Record<string, string>>;
  /** Whether something that was started in a terminal still runs, wherever it went. */
  readonly hasLeftovers: () => boolean;
  readonly onEnd: () => void;
}

type Request = Exclude<TerminalRequest, { type: 'init' }>;
type Of<T extends Request['type']> = Extract<Request, { type: T }>;
interface Look {
  readonly terminal: Terminal;
  readonly attachment: Attachment;
}

/** Changes within this are told once: a program may change its title with every line. */
const TELL_MS = 30;

export class TerminalHost {
  readonly #options: TerminalHostOptions;
  readonly #terminals = new Map<string, Terminal>();
  readonly #links = new Set<Link>();
  readonly #looks = new Map<Link, Look>();
  #tellTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(options: TerminalHostOptions) {
    this.#options = options;
    this.#considerIdle();
  }

  list(): TerminalInfo[] {
    return [...this.#terminals.values()].map(({ info }) => info);
  }

  join(link: Link): void {
    this.#links.add(link);
  }

  leave(link: Link): void {
    this.#links.delete(link);
    this.#letGo(link);
    this.#considerIdle();
  }

  /** Throws a coded error where it cannot be done. */
  handle(link: Link, request: Request): void {
    switch (request.type) {
      case 'watch':
        link.isWatching = true;
        link.tell({ type: 'terminals', terminals: this.list() });
        break;
      case 'create':
        link.tell({ type: 'done', re: request.re, terminal: this.#create(request) });
        break;
      case 'rename':
        this.#find(request.terminal).rename(request.name);
        link.tell({ type: 'done', re: request.re });
        break;
      case 'close':
        this.#close(request.terminal);
        link.tell({ type: 'done', re: request.re });
        break;
      case 'restart':
        this.#find(request.terminal).restart(this.#marked(request.launch));
        link.tell({ type: 'done', re: request.re });
        break;
      case 'attach':
        this.#attach(link, request);
        break;
      case 'resize':
        this.#looks.get(link)?.terminal.resize(request.size);
        break;
      case 'ack': {
        const look = this.#looks.get(link);
        look?.terminal.drawn(look.attachment, request.bytes, request.waitedMs);
        break;
      }
      case 'end':
        this.end();
        break;
    }
  }

  input(link: Link, data: Uint8Array): void {
    const look = this.#looks.get(link);
    if (!look) throw new CodedError('TERMINAL_NOT_FOUND');
    if (!look.terminal.input(data)) link.tell({ type: 'input-full' });
  }

  /** Hangs up on everything and leaves; what does not heed that is found by its mark. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#tellTimer);
    for (const terminal of this.#terminals.values()) terminal.close();
    this.#terminals.clear();
    for (const link of this.#links) link.close();
    this.#options.onEnd();
  }

  #create({ terminal: id, project, name, runs, size, launch }: Of<'create'>): TerminalInfo {
    const known = this.#terminals.get(id);
    if (known) {
      if (known.info.project === project) return known.info;
      throw new CodedError('INVALID_MESSAGE', 'This id belongs to another terminal.');
    }
    if (this.#isEnding) throw new CodedError('TERMINAL_UNAVAILABLE', 'The terminal host is just leaving.');
    this.#makeRoom();
    const terminal = new Terminal({
      info: { id, project, runs, number: this.#freeNumber(project), ...size, ...(name ? { name } : {}) },
      launch: this.#marked(launch),
      timings: this.#options.timings,
      now: this.#options.now,
      changed: () => this.#changed(),
    });
    this.#terminals.set(id, terminal);
    this.#changed();
    return terminal.info;
  }

  /** An exited one that nobody looks at gives way; one that runs never does. */
  #makeRoom(): void {
    if (this.#terminals.size < TERMINAL_LIMITS.terminals) return;
    for (const [id, terminal] of this.#terminals) {
      if (terminal.isRunning || terminal.attachments > 0) continue;
      this.#close(id);
      return;
    }
    throw new CodedError(
      'TOO_MANY',
      `${this.#terminals.size} terminals are open, which is as many as may be.`,
    );
  }

  #marked<L extends { environment: Record<string, string> }>(launch: L): L {
    return { ...launch, environment: { ...launch.environment, ...this.#options.mark } };
  }

  #freeNumber(project: string): number {
    const taken = this.list()
      .filter((info) => info.project === project)
      .map(({ number }) => number);
    for (let number = 1; ; number++) if (!taken.includes(number)) return number;
  }

  #close(id: string): void {
    const terminal = this.#find(id);
    this.#terminals.delete(id);
    terminal.close();
    for (const [link, look] of this.#looks) if (look.terminal === terminal) this.#looks.delete(link);
    this.#changed();
  }

  #attach(link: Link, { re, terminal: id, history, colors }: Of<'attach'>): void {
    const terminal = this.#find(id);
    const look = this.#looks.get(link);
    const isNew = look?.terminal !== terminal;
    if (isNew && terminal.attachments >= TERMINAL_LIMITS.attachments) throw new CodedError('TOO_MANY');
    link.tell({ type: 'done', re, terminal: terminal.info });
    if (look && !isNew) {
      terminal.showAgain(look.attachment, history, colors);
      return;
    }
    this.#letGo(link);
    this.#looks.set(link, { terminal, attachment: terminal.attach(link, history, colors) });
    this.#considerIdle();
  }

  #letGo(link: Link): void {
    const look = this.#looks.get(link);
    this.#looks.delete(link);
    look?.terminal.detach(look.attachment);
  }

  #find(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (!terminal) throw new CodedError('TERMINAL_NOT_FOUND');
    return terminal;
  }

  #changed(): void {
    this.#considerIdle();
    if (this.#isEnding) return;
    this.#tellTimer ??= setTimeout(() => {
      this.#tellTimer = undefined;
      for (const link of this.#links) {
        if (link.isWatching) link.tell({ type: 'terminals', terminals: this.list() });
      }
    }, TELL_MS);
  }

  #considerIdle(): void {
    const isNeeded = this.#looks.size > 0 || [...this.#terminals.values()].some(({ isRunning }) => isRunning);
    if (isNeeded || this.#isEnding) {
      clearTimeout(this.#idleTimer);
      this.#idleTimer = undefined;
      return;
    }
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = undefined;
      if (this.#options.hasLeftovers()) this.#considerIdle();
      else this.end();
    }, this.#options.timings.terminalIdleMs);
  }
}
