/**
 * The screen of one terminal without a display: what a page that comes later is shown. It also answers what programs
 * ask of their terminal, so that there is one answer however many pages look. Pages must answer nothing themselves.
 */
import { boundCounts } from '@tugdeck/protocol/terminal/bounded-counts';
import { clockOf, OutputQueue } from '@tugdeck/protocol/terminal/output-queue';
import { TERMINAL_LIMITS, type TerminalColors, type TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import serializer from '@xterm/addon-serialize';
import unicode from '@xterm/addon-unicode11';
import headless, { type Terminal } from '@xterm/headless';
import { KeptModes } from './kept-modes.ts';

export interface ScreenEvents {
  /** Something for the program to read. */
  answer(text: string): void;
  title(title: string): void;
}

/** The colours a program can ask for, by the number of their sequence. */
const COLORS = { 10: 'foreground', 11: 'background', 12: 'cursor' } as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a title
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/g;

/** Nobody looks at this one: it has time. */
const REST_MS = 1_000;

const OTHER_SCREEN = '\u001b[?1049h\u001b[H';

export class Screen {
  readonly #terminal: Terminal;
  readonly #serializer = new serializer.SerializeAddon();
  readonly #modes: KeptModes;
  readonly #output: OutputQueue;
  colors: TerminalColors | undefined;

  constructor(size: TerminalSize, events: ScreenEvents) {
    this.#terminal = new headless.Terminal({
      ...size,
      allowProposedApi: true,
      scrollback: TERMINAL_LIMITS.scrollback,
      logLevel: 'off',
    });
    this.#terminal.loadAddon(new unicode.Unicode11Addon());
    this.#terminal.unicode.activeVersion = '11';
    this.#terminal.loadAddon(this.#serializer as unknown as Parameters<Terminal['loadAddon']>[0]);
    boundCounts(this.#terminal);
    this.#modes = new KeptModes(this.#terminal);
    this.#output = new OutputQueue({
      terminal: this.#terminal,
      clock: clockOf(globalThis),
      restMs: REST_MS,
      linesKept: () => this.#modes.region.linesKept(this.#terminal, TERMINAL_LIMITS.scrollback),
    });
    this.#terminal.onData((text) => events.answer(text));
    this.#terminal.onTitleChange((title) =>
      events.title(title.replace(UNPRINTABLE, '').slice(0, TERMINAL_LIMITS.title)),
    );
    for (const [number, name] of Object.entries(COLORS)) {
      this.#terminal.parser.registerOscHandler(Number(number), (asked) => {
        const color = this.colors?.[name];
        if (asked === '?' && color !== undefined) events.answer(colorAnswer(number, color));
        return true;
      });
    }
  }

  /** Bytes that were given and are not part of the screen yet. */
  get pending(): number {
    return this.#output.pending;
  }

  write(data: Uint8Array, written: () => void): void {
    this.#output.write(data, written);
  }

  /** Runs when all that was written so far is part of the screen, and nothing that comes later. */
  settled(run: () => void): void {
    this.#output.settle(run);
  }

  get size(): TerminalSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** After what was written so far. */
  resize({ cols, rows }: TerminalSize): void {
    this.settled(() => this.#terminal.resize(cols, rows));
  }

  /** What makes an empty terminal of the same size look and behave like this one. */
  serialize(withHistory: boolean): string {
    const text = this.#serializer.serialize(withHistory ? {} : { scrollback: 0 });
    // The serializer takes it that the other screen begins with plain text; it begins as the main one ended.
    const plain = text.replace(OTHER_SCREEN, `${OTHER_SCREEN}\u001b[0m`);
    return plain + this.#modes.serialize() + this.#cursor();
  }

  /** The serializer counts from where it stopped, which is one off after a line that is full. */
  #cursor(): string {
    const { buffer, modes, cols } = this.#terminal;
    const { cursorX, cursorY } = buffer.active;
    // About to wrap: there is no way to say that but to write the line.
    if (cursorX >= cols) return '';
    const top = modes.originMode ? this.#modes.top : 1;
    return `\u001b[${cursorY + 2 - top};${cursorX + 1}H`;
  }

  dispose(): void {
    this.#output.close();
    this.#terminal.dispose();
  }
}

function colorAnswer(number: string, hex: string): string {
  const parts = [0, 2, 4].map((at) => hex.slice(at, at + 2)).map((part) => part + part);
  return `\u001b]${number};rgb:${parts.join('/')}\u001b\\`;
}
