/** A page without a browser: renders what it receives into its own terminal and acknowledges it like a page. */
import type { TerminalInfo, TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import type { TerminalMessage } from '@tugdeck/protocol/terminal/terminal-link';
import { Screen } from '../src/screen.ts';
import { Terminal } from '../src/terminal.ts';

export const ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  HOME: '/tmp',
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  PS1: '$ ',
  ENV: '',
};
export const SIZE = { cols: 80, rows: 24 };
/** A page counts as suspended after this time; long, so that a slow machine suspends none. */
const STALL_MS = 600_000;

export function openTerminal(file: string, args: readonly string[], stallMs = STALL_MS): Terminal {
  return new Terminal({
    info: { id: 't', project: 'p', runs: { type: 'shell' }, number: 1, ...SIZE },
    launch: { file, args: [...args], directory: '/tmp', environment: ENVIRONMENT },
    timings: { terminateMs: 500, terminalStallMs: stallMs },
    now: Date.now,
    changed: () => undefined,
  });
}

/** Attaches to a terminal. With `acknowledgesAtOnce: false` the test acknowledges rendered bytes itself. */
export class FakePage {
  readonly messages: TerminalMessage[] = [];
  size: TerminalSize = SIZE;
  /** Live output after a screen. */
  text = '';
  #screenLeft = 0;
  bytes = 0;
  screens = 0;
  #waiters: (() => void)[] = [];
  /** Output and resizes since the last screen, in order. */
  #sent: (Uint8Array | TerminalSize)[] = [];
  readonly #terminal: Terminal;
  readonly #attachment: ReturnType<Terminal['attach']>;
  acknowledgesAtOnce: boolean;

  constructor(terminal: Terminal, { acknowledgesAtOnce = true, withHistory = false } = {}) {
    this.#terminal = terminal;
    this.acknowledgesAtOnce = acknowledgesAtOnce;
    const decoder = new TextDecoder();
    this.#attachment = terminal.attach(
      {
        send: (message) => {
          this.messages.push(message);
          if (message.type === 'screen') {
            this.screens += 1;
            this.#screenLeft = message.bytes;
            this.#sent = [message.size];
          }
          if (message.type === 'size') this.#sent.push(message.size);
          if (message.type === 'size' || message.type === 'screen') this.size = message.size;
          this.#check();
        },
        bytes: (data) => {
          this.bytes += data.length;
          if (this.#screenLeft > 0) this.#screenLeft -= data.length;
          else this.text += decoder.decode(data, { stream: true });
          this.#sent.push(data);
          if (this.acknowledgesAtOnce) setImmediate(() => this.draw(data.length));
          this.#check();
        },
      },
      withHistory,
      undefined,
    );
  }

  draw(bytes: number): void {
    this.#terminal.drawn(this.#attachment, bytes);
  }

  askAgain(): void {
    this.#terminal.refresh(this.#attachment, this.#attachment.withHistory, undefined);
  }

  type(text: string): void {
    this.#terminal.input(new TextEncoder().encode(text));
  }

  leave(): void {
    this.#terminal.detach(this.#attachment);
  }

  until(fits: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!fits()) return;
        this.#waiters = this.#waiters.filter((one) => one !== check);
        resolve();
      };
      this.#waiters.push(check);
      check();
    });
  }

  shows(text: string | RegExp): Promise<void> {
    // Only the end: checking all of it with every piece would take longer than the flood.
    return this.until(() => {
      const end = this.text.slice(-10_000);
      return typeof text === 'string' ? end.includes(text) : text.test(end);
    });
  }

  ended(): Promise<void> {
    return this.until(() =>
      this.messages.some(
        (message) => message.type === 'terminal' && message.terminal.state.type === 'exited',
      ),
    );
  }

  get lastInfo(): TerminalInfo | undefined {
    const sent = this.messages.filter((message) => message.type === 'terminal').at(-1);
    return sent?.terminal;
  }

  /** The contents of this page's screen, after everything is rendered. */
  drawn(): Promise<string> {
    const screen = freshScreen();
    for (const sent of this.#sent) {
      if (sent instanceof Uint8Array) screen.write(sent, () => undefined);
      else screen.resize(sent);
    }
    return serialized(screen);
  }

  #check(): void {
    for (const check of [...this.#waiters]) check();
  }
}

export function freshScreen(size: TerminalSize = SIZE): Screen {
  return new Screen(size, { answer: () => undefined, title: () => undefined });
}

export function serialized(screen: Screen, withHistory = true): Promise<string> {
  return new Promise((resolve) => screen.settled(() => resolve(screen.serialize(withHistory))));
}
