/**
 * All terminals of this user in one process that outlives the server: creates and finds them, attaches connections,
 * and exits when no terminal is left and nobody has connected for a while. Uses no PTY or socket directly.
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
  /** Environment variables that mark everything running in a terminal as ours. */
  readonly mark: Readonly<Record<string, string>>;
  /** Whether a process started in a terminal still runs anywhere. */
  readonly hasLeftovers: () => boolean;
  readonly onEnd: () => void;
}

type Request = Exclude<TerminalRequest, { type: 'init' }>;
type Of<T extends Request['type']> = Extract<Request, { type: T }>;
interface View {
  readonly terminal: Terminal;
  readonly attachment: Attachment;
}

/** Changes within this time are published once: a program may change its title with every line. */
const NOTIFY_MS = 30;

export class TerminalHost {
  readonly #options: TerminalHostOptions;
  readonly #terminals = new Map<string, Terminal>();
  readonly #links = new Set<Link>();
  readonly #views = new Map<Link, View>();
  #notifyTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(options: TerminalHostOptions) {
    this.#options = options;
    this.#exitIfIdle();
  }

  list(): TerminalInfo[] {
    return [...this.#terminals.values()].map(({ info }) => info);
  }

  join(link: Link): void {
    this.#links.add(link);
  }

  leave(link: Link): void {
    this.#links.delete(link);
    this.#detach(link);
    this.#exitIfIdle();
  }

  /** Throws a coded error if the request fails. */
  handle(link: Link, request: Request): void {
    switch (request.type) {
      case 'watch':
        link.isWatching = true;
        link.send({ type: 'terminals', terminals: this.list() });
        break;
      case 'create':
        link.send({ type: 'done', re: request.re, terminal: this.#create(request) });
        break;
      case 'rename':
        this.#find(request.terminal).rename(request.name);
        link.send({ type: 'done', re: request.re });
        break;
      case 'close':
        this.#close(request.terminal);
        link.send({ type: 'done', re: request.re });
        break;
      case 'restart':
        this.#find(request.terminal).restart(this.#marked(request.launch));
        link.send({ type: 'done', re: request.re });
        break;
      case 'attach':
        this.#attach(link, request);
        break;
      case 'resize':
        this.#views.get(link)?.terminal.resize(request.size);
        break;
      case 'ack': {
        const view = this.#views.get(link);
        view?.terminal.drawn(view.attachment, request.bytes, request.waitedMs);
        break;
      }
      case 'end':
        this.end();
        break;
    }
  }

  input(link: Link, data: Uint8Array): void {
    const view = this.#views.get(link);
    if (!view) throw new CodedError('TERMINAL_NOT_FOUND');
    if (!view.terminal.input(data)) link.send({ type: 'input-full' });
  }

  /** Hangs up all terminals and exits; processes that ignore SIGHUP are found by their mark. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#notifyTimer);
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
    if (this.#isEnding) throw new CodedError('TERMINAL_UNAVAILABLE', 'The terminal host is shutting down.');
    this.#evictExited();
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

  /** Closes an exited terminal that no page is attached to; never a running one. */
  #evictExited(): void {
    if (this.#terminals.size < TERMINAL_LIMITS.terminals) return;
    for (const [id, terminal] of this.#terminals) {
      if (terminal.isRunning || terminal.attachments > 0) continue;
      this.#close(id);
      return;
    }
    throw new CodedError('TOO_MANY', `${this.#terminals.size} terminals are open, which is the limit.`);
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
    for (const [link, view] of this.#views) if (view.terminal === terminal) this.#views.delete(link);
    this.#changed();
  }

  #attach(link: Link, { re, terminal: id, history, colors }: Of<'attach'>): void {
    const terminal = this.#find(id);
    const view = this.#views.get(link);
    const isNew = view?.terminal !== terminal;
    if (isNew && terminal.attachments >= TERMINAL_LIMITS.attachments) throw new CodedError('TOO_MANY');
    link.send({ type: 'done', re, terminal: terminal.info });
    if (view && !isNew) {
      terminal.refresh(view.attachment, history, colors);
      return;
    }
    this.#detach(link);
    this.#views.set(link, { terminal, attachment: terminal.attach(link, history, colors) });
    this.#exitIfIdle();
  }

  #detach(link: Link): void {
    const view = this.#views.get(link);
    this.#views.delete(link);
    view?.terminal.detach(view.attachment);
  }

  #find(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (!terminal) throw new CodedError('TERMINAL_NOT_FOUND');
    return terminal;
  }

  #changed(): void {
    this.#exitIfIdle();
    if (this.#isEnding) return;
    this.#notifyTimer ??= setTimeout(() => {
      this.#notifyTimer = undefined;
      for (const link of this.#links) {
        if (link.isWatching) link.send({ type: 'terminals', terminals: this.list() });
      }
    }, NOTIFY_MS);
  }

  #exitIfIdle(): void {
    const isNeeded = this.#views.size > 0 || [...this.#terminals.values()].some(({ isRunning }) => isRunning);
    if (isNeeded || this.#isEnding) {
      clearTimeout(this.#idleTimer);
      this.#idleTimer = undefined;
      return;
    }
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = undefined;
      if (this.#options.hasLeftovers()) this.#exitIfIdle();
      else this.end();
    }, this.#options.timings.terminalIdleMs);
  }
}
