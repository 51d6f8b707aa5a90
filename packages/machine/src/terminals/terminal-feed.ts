/**
 * The `terminal` feed (W1): the list of a project's terminals, and one page's connection to one of them. Forwards
 * bytes between page and host without reading them, and the page's acknowledgments of rendered output.
 */
import type { TerminalInfo, TerminalRuns } from '@tugdeck/protocol/terminal/terminal';
import {
  type TerminalAbout,
  type TerminalAsk,
  type TerminalPush,
  terminalAboutSchema,
  terminalAskSchema,
} from '@tugdeck/protocol/terminal/terminal-feed';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FeedKind, FeedOut, FeedSession } from '../feeds/feed-kind.ts';
import type { Services } from '../services.ts';
import { shellLaunch } from './shell-launch.ts';
import type { TerminalLink } from './terminal-link.ts';
import { tmuxLaunch, tmuxSessions } from './tmux.ts';

type TerminalFeedOptions = Pick<Services, 'projects' | 'sessions' | 'terminals' | 'agentTerminal'>;
type AskOf<T extends TerminalAsk['type']> = Extract<TerminalAsk, { type: T }>;

export function terminalFeed(services: TerminalFeedOptions): FeedKind<TerminalAbout, TerminalAsk> {
  return {
    name: 'terminal',
    about: terminalAboutSchema,
    ask: terminalAskSchema,
    open(about, out) {
      services.projects.get(about.project);
      return new TerminalFeedSession(services, about, out);
    },
  };
}

class TerminalFeedSession implements FeedSession<TerminalAsk> {
  readonly #services: TerminalFeedOptions;
  readonly #about: TerminalAbout;
  readonly #out: FeedOut;
  #link: Promise<TerminalLink> | undefined;
  /** The link once connected, so that bytes need not wait. */
  #connected: TerminalLink | undefined;
  #unwatch: (() => void) | undefined;
  #isClosed = false;
  #isPaused = false;

  constructor(services: TerminalFeedOptions, about: TerminalAbout, out: FeedOut) {
    this.#services = services;
    this.#about = about;
    this.#out = out;
  }

  async ask(ask: TerminalAsk): Promise<unknown> {
    const { terminals } = this.#services;
    switch (ask.type) {
      case 'list':
        return this.#list();
      case 'tmux':
        return tmuxSessions(...this.#place());
      case 'create':
        return { terminal: await this.#create(ask) };
      case 'rename':
        await this.#find(ask.terminal);
        return terminals.ask({ type: 'rename', terminal: ask.terminal, name: ask.name });
      case 'close':
        await this.#find(ask.terminal);
        return terminals.ask({ type: 'close', terminal: ask.terminal });
      case 'restart': {
        const { runs } = await this.#find(ask.terminal);
        const launch = await this.#launch(runs);
        return terminals.ask({ type: 'restart', terminal: ask.terminal, launch });
      }
      case 'attach':
        return { terminal: await this.#attach(ask) };
      case 'resize':
        return this.#attachedLink().send({ type: 'resize', size: ask.size });
      case 'ack':
        return this.#attachedLink().send(ask);
    }
  }

  bytes(data: Uint8Array): void {
    this.#connected?.bytes(data);
  }

  pause(): void {
    this.#isPaused = true;
    this.#connected?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#connected?.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch?.();
    this.#connected?.close();
  }

  async #list(): Promise<{ terminals: TerminalInfo[] }> {
    const { terminals } = this.#services;
    const { project } = this.#about;
    this.#unwatch ??= terminals.subscribe(() =>
      this.#push({ type: 'terminals', terminals: terminals.of(project) }),
    );
    if (this.#isClosed) this.#unwatch();
    return { terminals: await terminals.listed(project) };
  }

  async #create({ terminal, name, runs, size }: AskOf<'create'>): Promise<TerminalInfo | undefined> {
    const { project } = this.#about;
    const { terminals } = this.#services;
    const known = (await terminals.listed(project)).find(({ id }) => id === terminal);
    if (known) return known;
    const launch = await this.#launch(runs);
    return terminals.ask({
      type: 'create',
      terminal,
      project,
      runs,
      size,
      launch,
      ...(name === undefined ? {} : { name }),
    });
  }

  #launch(runs: TerminalRuns): Promise<TerminalLaunch> | TerminalLaunch {
    const { sessions, agentTerminal, terminals } = this.#services;
    switch (runs.type) {
      case 'shell':
        return shellLaunch(...this.#place());
      case 'tmux':
        return tmuxLaunch(runs.name, ...this.#place());
      case 'session':
        if (sessions.row(runs.session).project !== this.#about.project) {
          throw new CodedError('SESSION_NOT_FOUND');
        }
        if (terminals.holds(runs.session)) {
          throw new CodedError('SESSION_LOCKED', 'This session is already open in a terminal.');
        }
        return agentTerminal(runs.session);
    }
  }

  async #attach({ history = false, colors }: AskOf<'attach'>): Promise<TerminalInfo | undefined> {
    const { terminal } = this.#about;
    if (terminal === undefined)
      throw new CodedError('INVALID_MESSAGE', 'This feed is not attached to a terminal.');
    await this.#find(terminal);
    const link = await this.#connect();
    return link.ask({ type: 'attach', terminal, history, ...(colors ? { colors } : {}) });
  }

  #connect(): Promise<TerminalLink> {
    this.#link ??= this.#services.terminals
      .connect({
        received: (message) => {
          if (message.type !== 'error' && message.type !== 'terminals') this.#push(message);
        },
        bytes: (data) => this.#out.bytes(data),
        unreadable: () => undefined,
        closed: () => {
          this.#link = undefined;
          this.#connected = undefined;
          this.#push({ type: 'gone' });
        },
      })
      .then(
        (link) => {
          this.#connected = link;
          if (this.#isPaused) link.pause();
          if (this.#isClosed) link.close();
          return link;
        },
        (error: unknown) => {
          this.#link = undefined;
          throw error;
        },
      );
    return this.#link;
  }

  #attachedLink(): TerminalLink {
    if (!this.#connected) throw new CodedError('TERMINAL_NOT_FOUND');
    return this.#connected;
  }

  async #find(terminal: string): Promise<TerminalInfo> {
    const { terminals } = this.#services;
    await terminals.listed(this.#about.project);
    return terminals.get(this.#about.project, terminal);
  }

  #place(): [directory: string, environment: Readonly<Record<string, string>>] {
    const { projects } = this.#services;
    const { project } = this.#about;
    return [projects.get(project).path, projects.environment(project)];
  }

  #push(push: TerminalPush): void {
    this.#out.push(push);
  }
}
