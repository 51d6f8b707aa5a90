/**
 * Connects a card to its terminal on the server: attaches whenever the area opens, writes output to the screen and
 * acknowledges it, sends input. Has no DOM elements and no React state.
 */
import type { AreaChannel } from '@tugdeck/client/areas';
import type { Client } from '@tugdeck/client/client';
import type { CallArguments, CallName } from '@tugdeck/protocol/areas/area';
import { terminals } from '@tugdeck/protocol/areas/terminals';
import type { TerminalInfo, TerminalRuns, TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import { ACK_EVERY, inputPieces, type TerminalPush } from '@tugdeck/protocol/terminal/terminal-feed';
import { cell } from '../../kit/cell.ts';
import { faultText } from '../../kit/deck-actions.ts';
import type { TerminalScreen } from './terminal-screen.ts';

export type TerminalStatus =
  | { readonly type: 'starting' }
  | { readonly type: 'here'; readonly terminal: TerminalInfo }
  /** Unknown to the host: it was closed, or the machine restarted. */
  | { readonly type: 'gone' }
  | { readonly type: 'offline' }
  | { readonly type: 'fault'; readonly text: string };

/** Delay before output below the acknowledgment threshold is acknowledged. */
const ACK_REST_MS = 50;
/** Number of early inputs kept, in keystrokes. */
const MAX_EARLY = 200;
const DEFAULT_SIZE: TerminalSize = { cols: 80, rows: 24 };

export class TerminalConnection {
  readonly status = cell<TerminalStatus>({ type: 'starting' });
  /** Input was dropped because the program does not read it. Shown until dismissed. */
  readonly isInputFull = cell(false);
  readonly #screen: TerminalScreen;
  readonly #terminal: string;
  readonly area: AreaChannel<typeof terminals>;
  /** The program to start if the terminal does not exist: only for a card opened for a new terminal. */
  #toCreate: TerminalRuns | undefined;
  #size: TerminalSize | undefined;
  /** Input typed before the terminal existed. */
  readonly #early: Uint8Array[] = [];
  #drawn = 0;
  #waitedMs = 0;
  #ackTimer: ReturnType<typeof setTimeout> | undefined;
  #hasHistory = false;
  #isLoadingHistory = false;
  /** Remaining bytes of a screen, and the reader's distance from the bottom. */
  #screenLeft = 0;
  #fromBottom = 0;
  /** Lines to scroll up after the history is loaded. */
  #wantsUp = 0;

  constructor(
    client: Client,
    screen: TerminalScreen,
    project: string,
    terminal: string,
    toCreate?: TerminalRuns,
  ) {
    this.#screen = screen;
    this.#terminal = terminal;
    this.#toCreate = toCreate;
    this.area = client.openArea(terminals, { project, terminal });
    screen.drawn = (bytes, waitedMs) => this.#acknowledge(bytes, waitedMs);
    this.area.onEvent((event) => this.#take(event));
    this.area.onBytes((data) => this.#draw(data));
    this.area.onOpen(() => void this.#attach());
    this.area.view.subscribe(() => this.#changed());
  }

  type(data: Uint8Array): void {
    // A shell takes a moment to start while the user already types.
    if (this.status.get().type === 'starting' && this.#early.length < MAX_EARLY) this.#early.push(data);
    else this.#send(data);
  }

  #send(data: Uint8Array): void {
    for (const piece of inputPieces(data)) this.area.sendBytes(piece);
  }

  /** Resizes the terminal to the card; with several pages, the last request wins. */
  fit(): void {
    const size = this.#screen.proposedSize();
    const isHere = this.status.get().type === 'here';
    if (!isHere || !size || (size.cols === this.#size?.cols && size.rows === this.#size.rows)) return;
    this.#size = size;
    this.#notify('resize', { size });
  }

  loadHistory(): void {
    if (this.#hasHistory || this.#isLoadingHistory || this.status.get().type !== 'here') return;
    const { active } = this.#screen.terminal.buffer;
    // Output since attaching is available; more is loaded only at the top.
    if (active.type === 'alternate' || active.viewportY > 0) return;
    this.#isLoadingHistory = true;
    this.#wantsUp = 3;
    this.area
      .call('attach', { history: true })
      .catch(() => undefined)
      .finally(() => {
        this.#isLoadingHistory = false;
      });
  }

  /** Whether the whole scrollback is loaded, as a search needs. */
  get hasHistory(): boolean {
    return this.#hasHistory;
  }

  restart(): void {
    this.#notify('restart', { terminal: this.#terminal });
  }

  rename(name: string): void {
    this.#notify('rename', { terminal: this.#terminal, name: name.trim() === '' ? null : name.trim() });
  }

  /** Terminates the program and removes the terminal. */
  end(): Promise<unknown> {
    return this.area.call('close', { terminal: this.#terminal });
  }

  /** Creates a new terminal in place of one that is gone. */
  recreate(runs: TerminalRuns): void {
    this.#toCreate = runs;
    void this.#attach();
  }

  close(): void {
    clearTimeout(this.#ackTimer);
    this.area.close();
  }

  #changed(): void {
    const { isLost, fault } = this.area.view.get();
    if (isLost) this.status.set({ type: 'offline' });
    else if (fault) this.status.set({ type: 'fault', text: faultText(fault) });
  }

  async #attach(): Promise<void> {
    const { colors } = this.#screen;
    try {
      if (this.#toCreate) await this.#create(this.#toCreate);
      this.#toCreate = undefined;
      const { terminal } = await this.area.call('attach', { history: this.#hasHistory, colors });
      this.status.set({ type: 'here', terminal });
      for (const data of this.#early.splice(0)) this.#send(data);
      this.#size = { cols: terminal.cols, rows: terminal.rows };
      this.fit();
    } catch (error) {
      this.#failed(error);
    }
  }

  async #create(runs: TerminalRuns): Promise<void> {
    const size = this.#screen.proposedSize() ?? DEFAULT_SIZE;
    await this.area.call('create', { terminal: this.#terminal, runs, size });
  }

  #failed(error: unknown): void {
    const code = (error as { code?: unknown }).code;
    if (code === 'TERMINAL_NOT_FOUND') this.status.set({ type: 'gone' });
    else if (code === 'CONNECTION_LOST' || code === 'DISPOSED') this.status.set({ type: 'offline' });
    else this.status.set({ type: 'fault', text: faultText(error) });
  }

  #take(push: TerminalPush): void {
    const { terminal, output } = this.#screen;
    const { buffer } = terminal;
    switch (push.type) {
      case 'screen':
        this.#hasHistory = push.history;
        this.#screenLeft = push.bytes;
        this.#fromBottom = buffer.active.baseY - buffer.active.viewportY + this.#wantsUp;
        this.#wantsUp = 0;
        // In order with the output that is still queued, as every resize.
        output.settle(() => {
          terminal.reset();
          terminal.resize(push.size.cols, push.size.rows);
        });
        break;
      case 'size':
        this.#size = push.size;
        output.settle(() => terminal.resize(push.size.cols, push.size.rows));
        break;
      case 'terminal':
        this.status.set({ type: 'here', terminal: push.terminal });
        break;
      case 'input-full':
        this.isInputFull.set(true);
        break;
      case 'gone':
        this.status.set({ type: 'gone' });
        break;
      case 'terminals':
        break;
    }
  }

  #draw(data: Uint8Array): void {
    const { terminal, output } = this.#screen;
    const endsScreen = this.#screenLeft > 0 && data.length >= this.#screenLeft;
    this.#screenLeft = Math.max(0, this.#screenLeft - data.length);
    // The data is not shared, so it needs no copy.
    output.write(data, () => {
      if (!endsScreen || this.#fromBottom === 0) return;
      terminal.scrollToLine(Math.max(0, terminal.buffer.active.baseY - this.#fromBottom));
      this.#fromBottom = 0;
    });
  }

  #acknowledge(bytes: number, waitedMs: number): void {
    this.#drawn += bytes;
    this.#waitedMs = Math.round(waitedMs);
    clearTimeout(this.#ackTimer);
    if (this.#drawn >= ACK_EVERY) this.#sendAck();
    else this.#ackTimer = setTimeout(() => this.#sendAck(), ACK_REST_MS);
  }

  #sendAck(): void {
    if (this.#drawn === 0) return;
    this.#notify('ack', { bytes: this.#drawn, waitedMs: this.#waitedMs });
    this.#drawn = 0;
  }

  /** Calls without waiting for the reply; after a lost link the terminal is attached again. */
  #notify<K extends CallName<typeof terminals>>(name: K, ...input: CallArguments<typeof terminals, K>): void {
    this.area.call(name, ...input).catch(() => undefined);
  }
}
