/**
 * Serves the terminal area (W1): the list of a project's terminals, and one page's connection to one of them. Forwards
 * bytes between page and host without reading them, and the page's acknowledgments of rendered output.
 */
import type { AboutOf, ParsedInput } from '@tugdeck/protocol/areas/area';
import { terminals as terminalArea } from '@tugdeck/protocol/areas/terminals';
import type { TerminalInfo, TerminalRuns } from '@tugdeck/protocol/terminal/terminal';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type AreaOut, type AreaSession, type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Services } from '../services.ts';
import { shellLaunch } from './shell-launch.ts';
import type { TerminalLink } from './terminal-link.ts';
import { tmuxLaunch, tmuxSessions } from './tmux.ts';

type TerminalServices = Pick<Services, 'projects' | 'sessions' | 'terminals' | 'agentTerminal'>;
type TerminalArea = typeof terminalArea;
type TerminalAbout = AboutOf<TerminalArea>;

export function serveTerminals(services: TerminalServices): ServedArea {
  return serveArea(terminalArea, (about, out) => {
    services.projects.place(about.project);
    return new TerminalSession(services, about, out);
  });
}

class TerminalSession implements AreaSession<TerminalArea> {
  readonly #services: TerminalServices;
  readonly #about: TerminalAbout;
  readonly #out: AreaOut<TerminalArea>;
  #link: Promise<TerminalLink> | undefined;
  /** The link once connected, so that bytes need not wait. */
  #connected: TerminalLink | undefined;
  #unwatch: (() => void) | undefined;
  #isClosed = false;
  #isPaused = false;

  constructor(services: TerminalServices, about: TerminalAbout, out: AreaOut<TerminalArea>) {
    this.#services = services;
    this.#about = about;
    this.#out = out;
  }

  readonly calls: AreaSession<TerminalArea>['calls'] = {
    list: () => this.#list(),
    tmux: () => tmuxSessions(...this.#place()),
    create: async (input) => ({ terminal: await this.#create(input) }),
    rename: async ({ terminal, name }) => {
      await this.#find(terminal);
      await this.#services.terminals.request({ type: 'rename', terminal, name });
    },
    close: async ({ terminal }) => {
      await this.#find(terminal);
      await this.#services.terminals.request({ type: 'close', terminal });
    },
    restart: async ({ terminal }) => {
      const { runs } = await this.#find(terminal);
      const launch = await this.#launch(runs);
      await this.#services.terminals.request({ type: 'restart', terminal, launch });
    },
    attach: async (input) => ({ terminal: await this.#attach(input) }),
    resize: ({ size }) => this.#attachedLink().send({ type: 'resize', size }),
    ack: (ack) => this.#attachedLink().send({ type: 'ack', ...ack }),
  };

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
      this.#out.emit({ type: 'terminals', terminals: terminals.of(project) }),
    );
    if (this.#isClosed) this.#unwatch();
    return { terminals: await terminals.listed(project) };
  }

  async #create({
    terminal,
    name,
    runs,
    size,
  }: ParsedInput<TerminalArea, 'create'>): Promise<TerminalInfo | undefined> {
    const { project } = this.#about;
    const { terminals } = this.#services;
    const known = (await terminals.listed(project)).find(({ id }) => id === terminal);
    if (known) return known;
    const launch = await this.#launch(runs);
    return terminals.request({
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
        if (placeOf(sessions.row(runs.session)) !== this.#about.project) {
          throw new CodedError('SESSION_NOT_FOUND');
        }
        if (terminals.holds(runs.session)) {
          throw new CodedError('SESSION_LOCKED', 'This session is already open in a terminal.');
        }
        return agentTerminal(runs.session);
    }
  }

  async #attach({ history = false, colors }: ParsedInput<TerminalArea, 'attach'>): Promise<TerminalInfo> {
    const { terminal } = this.#about;
    if (terminal === undefined)
      throw new CodedError('INVALID_MESSAGE', 'This feed is not attached to a terminal.');
    await this.#find(terminal);
    const link = await this.#connect();
    const attached = await link.request({ type: 'attach', terminal, history, ...(colors ? { colors } : {}) });
    if (!attached) throw new CodedError('TERMINAL_NOT_FOUND');
    return attached;
  }

  #connect(): Promise<TerminalLink> {
    this.#link ??= this.#services.terminals
      .connect({
        received: (message) => {
          if (message.type !== 'error' && message.type !== 'terminals') this.#out.emit(message);
        },
        bytes: (data) => this.#out.bytes(data),
        unreadable: () => undefined,
        closed: () => {
          this.#link = undefined;
          this.#connected = undefined;
          this.#out.emit({ type: 'gone' });
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
    const { directory, environment } = projects.place(this.#about.project);
    return [directory, environment];
  }
}

function placeOf({ project, workspace }: { project: string; workspace?: string | undefined }): string {
  return workspace ?? project;
}
