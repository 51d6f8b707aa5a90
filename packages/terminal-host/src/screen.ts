/**
 * The headless screen of one terminal, which new pages receive. It also answers terminal queries from programs, so
 * that there is one answer for any number of pages. Pages must not answer.
 */
import { limitCounts } from '@tugdeck/protocol/terminal/bounded-counts';
import { clockOf, OutputQueue } from '@tugdeck/protocol/terminal/output-queue';
import { TERMINAL_LIMITS, type TerminalColors, type TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import serializer from '@xterm/addon-serialize';
import unicode from '@xterm/addon-unicode11';
import headless, { type Terminal } from '@xterm/headless';
import { ModeTracker } from './mode-tracker.ts';

export interface ScreenEvents {
  /** Input for the program, such as an answer to a query. */
  answer(text: string): void;
  title(title: string): void;
}

/** The colors that a program can query, by the number of their sequence. */
const COLORS = { 10: 'foreground', 11: 'background', 12: 'cursor' } as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a title
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/g;

/** The longest delay of a flood; nobody watches this screen. */
const FLOOD_DELAY_MS = 1_000;

const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[H';

export class Screen {
  readonly #terminal: Terminal;
  readonly #serializer = new serializer.SerializeAddon();
  readonly #modes: ModeTracker;
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
    limitCounts(this.#terminal);
    this.#modes = new ModeTracker(this.#terminal);
    this.#output = new OutputQueue({
      terminal: this.#terminal,
      clock: clockOf(globalThis),
      pauseMs: FLOOD_DELAY_MS,
      linesKept: () => this.#modes.region.linesKept(this.#terminal, TERMINAL_LIMITS.scrollback),
    });
    this.#terminal.onData((text) => events.answer(text));
    this.#terminal.onTitleChange((title) =>
      events.title(title.replace(UNPRINTABLE, '').slice(0, TERMINAL_LIMITS.title)),
    );
    for (const [number, name] of Object.entries(COLORS)) {
      this.#terminal.parser.registerOscHandler(Number(number), (query) => {
        const color = this.colors?.[name];
        if (query === '?' && color !== undefined) events.answer(colorAnswer(number, color));
        return true;
      });
    }
  }

  /** Bytes that were written but not parsed yet. */
  get pending(): number {
    return this.#output.pending;
  }

  write(data: Uint8Array, written: () => void): void {
    this.#output.write(data, written);
  }

  /** Runs `run` when everything written so far is on the screen, and nothing later. */
  settled(run: () => void): void {
    this.#output.settle(run);
  }

  get size(): TerminalSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** Takes effect after everything written so far. */
  resize({ cols, rows }: TerminalSize): void {
    this.settled(() => this.#terminal.resize(cols, rows));
  }

  /** The sequences that turn an empty terminal of the same size into a copy of this one. */
  serialize(withHistory: boolean): string {
    const text = this.#serializer.serialize(withHistory ? {} : { scrollback: 0 });
    // The serializer assumes that the alternate screen starts with plain attributes; it starts with those of the
    // main screen.
    const plain = text.replace(ALTERNATE_SCREEN, `${ALTERNATE_SCREEN}\u001b[0m`);
    return plain + this.#modes.serialize() + this.#cursor();
  }

  /** The serializer places the cursor relative to its last write, which is off by one after a full line. */
  #cursor(): string {
    const { buffer, modes, cols } = this.#terminal;
    const { cursorX, cursorY } = buffer.active;
    // The cursor is about to wrap; this state can only be reached by writing the line.
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
