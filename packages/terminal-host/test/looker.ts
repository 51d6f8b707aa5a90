/** A page's part in plain code: draws what it is sent into a terminal of its own, and says so as a page does. */
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
const TIMINGS = { terminateMs: 500, terminalStallMs: 300 };

export function openTerminal(file: string, args: readonly string[], size: TerminalSize = SIZE): Terminal {
  return new Terminal({
    info: { id: 't', project: 'p', runs: { type: 'shell' }, number: 1, ...size },
    launch: { file, args: [...args], directory: '/tmp', environment: ENVIRONMENT },
    timings: TIMINGS,
    now: Date.now,
    changed: () => undefined,
  });
}

/** Looks at a terminal; `drawsAtOnce: false` leaves it to the test to say what is drawn. */
export class Looker {
  readonly messages: TerminalMessage[] = [];
  size: TerminalSize = SIZE;
  /** What came live, after a screen. */
  text = '';
  #screenLeft = 0;
  bytes = 0;
  screens = 0;
  #looks: (() => void)[] = [];
  /** Since the last screen, in order. */
  #sent: (Uint8Array | TerminalSize)[] = [];
  readonly #terminal: Terminal;
  readonly #attachment: ReturnType<Terminal['attach']>;
  drawsAtOnce: boolean;

  constructor(terminal: Terminal, { drawsAtOnce = true, withHistory = false } = {}) {
    this.#terminal = terminal;
    this.drawsAtOnce = drawsAtOnce;
    const decoder = new TextDecoder();
    this.#attachment = terminal.attach(
      {
        tell: (message) => {
          this.messages.push(message);
          if (message.type === 'screen') {
            this.screens += 1;
            this.#screenLeft = message.bytes;
            this.#sent = [message.size];
          }
          if (message.type === 'size') this.#sent.push(message.size);
          if (message.type === 'size' || message.type === 'screen') this.size = message.size;
          this.#look();
        },
        bytes: (data) => {
          this.bytes += data.length;
          if (this.#screenLeft > 0) this.#screenLeft -= data.length;
          else this.text += decoder.decode(data, { stream: true });
          this.#sent.push(data);
          if (this.drawsAtOnce) setImmediate(() => this.draw(data.length));
          this.#look();
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
    this.#terminal.showAgain(this.#attachment, this.#attachment.withHistory, undefined);
  }

  type(text: string): void {
    this.#terminal.input(new TextEncoder().encode(text));
  }

  leave(): void {
    this.#terminal.detach(this.#attachment);
  }

  until(fits: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!fits()) return;
        this.#looks = this.#looks.filter((one) => one !== look);
        resolve();
      };
      this.#looks.push(look);
      look();
    });
  }

  shows(text: string | RegExp): Promise<void> {
    // Only the end: all of it with every piece would take longer than the flood.
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
    const told = this.messages.filter((message) => message.type === 'terminal').at(-1);
    return told?.terminal;
  }

  /** What this page has on its screen, when all of it is drawn. */
  drawn(): Promise<string> {
    const screen = freshScreen();
    for (const sent of this.#sent) {
      if (sent instanceof Uint8Array) screen.write(sent, () => undefined);
      else screen.resize(sent);
    }
    return serialized(screen);
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}

export function freshScreen(size: TerminalSize = SIZE): Screen {
  return new Screen(size, { answer: () => undefined, title: () => undefined });
}

export function serialized(screen: Screen, withHistory = true): Promise<string> {
  return new Promise((resolve) => screen.settled(() => resolve(screen.serialize(withHistory))));
}
