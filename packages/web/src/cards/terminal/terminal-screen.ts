/**
 * The drawn terminal: the library with what we add to it and what we forbid it. Knows no server; what the user types
 * and what a program wants of the page come out as events.
 */

import { boundCounts } from '@tugdeck/protocol/terminal/bounded-counts';
import { clockOf, OutputQueue } from '@tugdeck/protocol/terminal/output-queue';
import { ScrolledRegion } from '@tugdeck/protocol/terminal/scrolled-region';
import { TERMINAL_LIMITS, type TerminalColors, type TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import { FitAddon } from '@xterm/addon-fit';
import { type ISearchOptions, SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { visibleExact } from '../../ui/visible-text.ts';
import { allowStyledSpans, cspDocument, withCspDocument } from './csp-styles.ts';
import { LastOutput } from './last-output.ts';
import { suppressReplies } from './suppress-replies.ts';
import { clipboardRequest, isForPage } from './terminal-keys.ts';
import { linkToOpen } from './terminal-links.ts';
import { readTheme, watchTheme } from './terminal-theme.ts';

export interface ScreenEvents {
  /** For the program: keys, pastes, reports of the mouse. */
  typed(data: Uint8Array): void;
  /** A program wants something on the clipboard: the user decides. */
  copyWanted(text: string): void;
  search(): void;
  /** The user looks for lines above the screen. */
  historyWanted(): void;
}

/** So many more bytes of what was written are drawn, and so long the oldest of them waited for it. */
export type RenderedCallback = (bytes: number, waitedMs: number) => void;

const ENCODER = new TextEncoder();
const FONT_SIZE = 13;
/** A flood is seen as well with fewer steps, and the rest of the page has its frames. */
const REST_MS = 33;
/** Search marks nothing beyond this many, and counts no further. */
const MOST_MATCHES = 1_000;
const MOST_OF_ADDRESS = 300;

allowStyledSpans();

export class TerminalScreen {
  readonly terminal: Terminal;
  /** What is to be drawn, and what is to be done in its place among that. */
  readonly output: OutputQueue;
  drawn: RenderedCallback = () => undefined;
  readonly #host: HTMLElement;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon({ highlightLimit: MOST_MATCHES });
  readonly #lastOutput: LastOutput;
  readonly #unwatch: () => void;
  #webgl: WebglAddon | undefined;
  #theme: ReturnType<typeof readTheme>;

  constructor(host: HTMLElement, events: ScreenEvents) {
    this.#host = host;
    this.#theme = readTheme(host);
    const terminal = new Terminal({
      allowProposedApi: true,
      documentOverride: cspDocument,
      scrollback: TERMINAL_LIMITS.scrollback,
      fontFamily: getComputedStyle(host).fontFamily,
      fontSize: FONT_SIZE,
      lineHeight: 1.2,
      cursorBlink: false,
      macOptionIsMeta: true,
      minimumContrastRatio: this.#contrast,
      theme: this.#theme.theme,
      linkHandler: {
        activate: (event, address) => follow(event, address),
        // What a program writes as the text of a link may be anything: where it leads is told.
        hover: (_, address) => {
          host.title = visibleExact(address.slice(0, MOST_OF_ADDRESS));
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
    boundCounts(terminal);
    const region = new ScrolledRegion(terminal);
    this.output = new OutputQueue({
      terminal,
      linesKept: () => region.linesKept(terminal, TERMINAL_LIMITS.scrollback),
      clock: clockOf(globalThis),
      restMs: REST_MS,
      done: (bytes, waitedMs) => this.drawn(bytes, waitedMs),
    });
    this.#lastOutput = new LastOutput(terminal);
    withCspDocument(() => terminal.open(host));
    terminal.onData((text) => events.typed(ENCODER.encode(text)));
    terminal.onBinary((text) => events.typed(Uint8Array.from(text, (unit) => unit.charCodeAt(0))));
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.type === 'keydown' && isSearchKey(event)) {
        // Elsewhere in the page the same key searches the project.
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
    this.#unwatch = watchTheme(() => this.#retint());
  }

  get colors(): TerminalColors {
    return this.#theme.colors;
  }

  /** What would fit into the card; nothing while it has no size. */
  proposedSize(): TerminalSize | undefined {
    const proposed = this.#fit.proposeDimensions();
    if (!proposed || !Number.isFinite(proposed.cols) || !Number.isFinite(proposed.rows)) return undefined;
    return {
      cols: Math.min(Math.max(proposed.cols, TERMINAL_LIMITS.minCols), TERMINAL_LIMITS.maxCols),
      rows: Math.min(Math.max(proposed.rows, TERMINAL_LIMITS.minRows), TERMINAL_LIMITS.maxRows),
    };
  }

  /** A hidden card needs no graphics memory, of which a browser gives only so many their share. */
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

  /** False where nothing was found. */
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
    this.#unwatch();
    this.output.close();
    this.terminal.dispose();
  }

  /** Legible text is worth more than the exact colour a program asked for. */
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
    } catch {
      webgl.dispose(); // A browser without it: the library draws with elements then.
    }
  }
}

function follow(event: MouseEvent, address: string): void {
  const safe = linkToOpen(event, address);
  if (safe !== undefined) window.open(safe, '_blank', 'noopener,noreferrer');
}

function isSearchKey(event: KeyboardEvent): boolean {
  return event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f';
}

function isCopyKey(event: KeyboardEvent): boolean {
  return event.shiftKey && event.ctrlKey && event.key.toLowerCase() === 'c';
}
