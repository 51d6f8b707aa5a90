/**
 * The terminal's screen: the terminal library with our additions and restrictions. Knows no server; input and
 * requests of programs are emitted as events.
 */
import { limitCounts } from '@tugdeck/protocol/terminal/bounded-counts';
import { clockOf, OutputQueue } from '@tugdeck/protocol/terminal/output-queue';
import { ScrollRegion } from '@tugdeck/protocol/terminal/scroll-region';
import { TERMINAL_LIMITS, type TerminalColors, type TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import { FitAddon } from '@xterm/addon-fit';
import { type ISearchOptions, SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { textScale, textSize } from '../../kit/appearance.ts';
import { cell } from '../../kit/cell.ts';
import { visibleExact } from '../../kit/visible-text.ts';
import { allowStyledSpans, cspDocument, withCspDocument } from './csp-styles.ts';
import { type ExtraKey, sequenceOf, withCtrl } from './extra-keys.ts';
import { LastOutput } from './last-output.ts';
import { suppressReplies } from './suppress-replies.ts';
import { clipboardRequest, isForPage } from './terminal-keys.ts';
import { linkToOpen, previewToOpen } from './terminal-links.ts';
import { readTheme, watchTheme } from './terminal-theme.ts';
import { watchAddresses } from './watch-addresses.ts';

export interface ScreenEvents {
  /** Input for the program: keys, pastes, mouse reports. */
  typed(data: Uint8Array): void;
  /** A program wants to write the clipboard; the user decides. */
  copyWanted(text: string): void;
  search(): void;
  /** The user scrolls above the screen. */
  historyWanted(): void;
  /** Local web addresses in the output, after it was drawn. */
  addressesSeen(addresses: readonly string[]): void;
  previewWanted(address: string): void;
}

/** Called with the number of bytes rendered since the last call and how long the oldest of them waited. */
export type RenderedCallback = (bytes: number, waitedMs: number) => void;

const ENCODER = new TextEncoder();
const FONT_SIZE = 13;
const CODE_FONT = `${FONT_SIZE}px "JetBrains Mono"`;
/** Minimum interval between renders during a flood of output, so that the page stays responsive. */
const REST_MS = 33;
/** Maximum number of highlighted and counted matches. */
const MAX_MATCHES = 1_000;
const MAX_LINK_LENGTH = 300;

allowStyledSpans();

/** Rounding, in pixels of the screen. */
const CANVAS_TOLERANCE = 4;

export class TerminalScreen {
  readonly terminal: Terminal;
  /** Queue of output, and of actions in order with it. */
  readonly output: OutputQueue;
  drawn: RenderedCallback = () => undefined;
  /** Ctrl was pressed on the key row and applies to the next character. */
  readonly isCtrlHeld = cell(false);
  readonly #host: HTMLElement;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon({ highlightLimit: MAX_MATCHES });
  readonly #lastOutput: LastOutput;
  readonly #unwatch: readonly (() => void)[];
  #webgl: WebglAddon | undefined;
  #theme: ReturnType<typeof readTheme>;

  constructor(host: HTMLElement, events: ScreenEvents) {
    this.#host = host;
    this.#theme = readTheme(host);
    const follow = (event: MouseEvent, address: string) => {
      const safe = linkToOpen(event, address);
      if (safe === undefined) return;
      const local = previewToOpen(event, safe);
      if (local === undefined) window.open(safe, '_blank', 'noopener,noreferrer');
      else events.previewWanted(local);
    };
    const terminal = new Terminal({
      allowProposedApi: true,
      documentOverride: cspDocument,
      scrollback: TERMINAL_LIMITS.scrollback,
      fontFamily: getComputedStyle(host).fontFamily,
      fontSize: FONT_SIZE * textScale(),
      lineHeight: 1.2,
      cursorBlink: false,
      macOptionIsMeta: true,
      minimumContrastRatio: this.#contrast,
      theme: this.#theme.theme,
      linkHandler: {
        activate: follow,
        // A link's text may be anything, so its target is shown on hover.
        hover: (_, address) => {
          host.title = visibleExact(address.slice(0, MAX_LINK_LENGTH));
        },
        leave: () => {
          host.title = '';
        },
        allowNonHttpProtocols: false,
      },
    });
    this.terminal = terminal;
    terminal.loadAddon(this.#fit);
    terminal.loadAddon(this.#search);
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = '11';
    terminal.loadAddon(new WebLinksAddon(follow));
    suppressReplies(terminal);
    limitCounts(terminal);
    const region = new ScrollRegion(terminal);
    this.output = new OutputQueue({
      terminal,
      linesKept: () => region.linesKept(terminal, TERMINAL_LIMITS.scrollback),
      clock: clockOf(globalThis),
      pauseMs: REST_MS,
      done: (bytes, waitedMs) => this.drawn(bytes, waitedMs),
    });
    this.#lastOutput = new LastOutput(terminal);
    withCspDocument(() => terminal.open(host));
    // The library measures the font when a terminal opens: if ours comes later, it measures again.
    if (!document.fonts.check(CODE_FONT))
      void document.fonts.load(CODE_FONT).then(() => {
        terminal.options.fontFamily = `${terminal.options.fontFamily}, monospace`;
      });
    terminal.onData((text) => events.typed(ENCODER.encode(this.#useCtrl(text))));
    terminal.onBinary((text) => events.typed(Uint8Array.from(text, (unit) => unit.charCodeAt(0))));
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.type === 'keydown' && isSearchKey(event)) {
        // Outside of terminals the same key searches the project.
        event.preventDefault();
        event.stopPropagation();
        events.search();
        return false;
      }
      if (event.type === 'keydown' && isCopyKey(event) && terminal.hasSelection()) {
        event.preventDefault();
        void navigator.clipboard.writeText(terminal.getSelection());
        return false;
      }
      if (event.type === 'keydown' && event.shiftKey && event.key === 'PageUp') events.historyWanted();
      return !isForPage(event);
    });
    terminal.parser.registerOscHandler(52, (data) => {
      const text = clipboardRequest(data);
      if (text !== undefined) events.copyWanted(text);
      return true;
    });
    host.addEventListener('wheel', (event) => event.deltaY < 0 && events.historyWanted(), { passive: true });
    this.#unwatch = [
      watchAddresses(terminal, (addresses) => events.addressesSeen(addresses)),
      watchTheme(() => this.#retint()),
      textSize.subscribe(() => {
        terminal.options.fontSize = FONT_SIZE * textScale();
      }),
    ];
  }

  get colors(): TerminalColors {
    return this.#theme.colors;
  }

  /** The size that fits the card; undefined while it has none. */
  proposedSize(): TerminalSize | undefined {
    const proposed = this.#fit.proposeDimensions();
    if (!proposed || !Number.isFinite(proposed.cols) || !Number.isFinite(proposed.rows)) return undefined;
    return {
      cols: Math.min(Math.max(proposed.cols, TERMINAL_LIMITS.minCols), TERMINAL_LIMITS.maxCols),
      rows: Math.min(Math.max(proposed.rows, TERMINAL_LIMITS.minRows), TERMINAL_LIMITS.maxRows),
    };
  }

  /** A hidden card releases its WebGL context, of which a browser has few. */
  setVisible(isVisible: boolean): void {
    if (!isVisible) {
      this.#webgl?.dispose();
      this.#webgl = undefined;
      return;
    }
    if (!this.#webgl) this.#accelerate();
    this.terminal.refresh(0, this.terminal.rows - 1);
  }

  get renderer(): 'webgl' | 'dom' {
    return this.#webgl ? 'webgl' : 'dom';
  }

  /** Presses a key of the key row. */
  press(key: ExtraKey): void {
    const isCtrl = this.isCtrlHeld.get();
    this.isCtrlHeld.set(false);
    this.terminal.input(
      sequenceOf(key, { isCtrl, isApplication: this.terminal.modes.applicationCursorKeysMode }),
    );
  }

  /** Returns whether a match was found. */
  find(text: string, direction: 'next' | 'previous', isIncremental = false): boolean {
    const options: ISearchOptions = { incremental: isIncremental };
    if (text === '') {
      this.#search.clearDecorations();
      this.terminal.clearSelection();
      return true;
    }
    return direction === 'next'
      ? this.#search.findNext(text, options)
      : this.#search.findPrevious(text, options);
  }

  lastOutput(): string {
    return this.#lastOutput.read();
  }

  dispose(): void {
    for (const stop of this.#unwatch) stop();
    this.output.close();
    this.terminal.dispose();
  }

  /** Sequences, such as focus and mouse reports, don't use up the held Ctrl. */
  #useCtrl(text: string): string {
    if (!this.isCtrlHeld.get() || text.startsWith('\x1b')) return text;
    this.isCtrlHeld.set(false);
    return withCtrl(text);
  }

  /** Readable text is preferred over the exact color of a program. */
  get #contrast(): number {
    return this.#theme.isHighContrast ? 7 : 4.5;
  }

  #retint(): void {
    this.#theme = readTheme(this.#host);
    this.terminal.options.theme = this.#theme.theme;
    this.terminal.options.minimumContrastRatio = this.#contrast;
  }

  #accelerate(): void {
    const webgl = new WebglAddon();
    try {
      this.terminal.loadAddon(webgl);
      this.#webgl = webgl;
      webgl.onContextLoss(() => {
        webgl.dispose();
        if (this.#webgl === webgl) this.#webgl = undefined;
      });
      requestAnimationFrame(() => requestAnimationFrame(() => this.#checkCanvas(webgl)));
    } catch {
      webgl.dispose(); // Without WebGL the library renders with DOM elements.
    }
  }

  /** With a pixel ratio that developer tools emulate, the canvas has the wrong size and stays blank. */
  #checkCanvas(webgl: WebglAddon): void {
    const canvas = this.terminal.element?.querySelector<HTMLCanvasElement>(
      '.xterm-screen > canvas:not([class])',
    );
    if (this.#webgl !== webgl || !canvas || canvas.clientWidth === 0) return;
    if (Math.abs(canvas.width - canvas.clientWidth * devicePixelRatio) <= CANVAS_TOLERANCE) return;
    webgl.dispose();
    this.#webgl = undefined;
  }
}

function isSearchKey(event: KeyboardEvent): boolean {
  return event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f';
}

function isCopyKey(event: KeyboardEvent): boolean {
  return event.shiftKey && event.ctrlKey && event.key.toLowerCase() === 'c';
}
