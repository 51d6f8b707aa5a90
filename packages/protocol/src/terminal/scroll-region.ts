/**
 * The terminal's scroll region, as set by the program. The library does not expose it, so this listens without
 * handling. Each of the two screens has its own region; only the last one set is known.
 */
type Params = readonly (number | number[])[];

export interface RegionTerminal {
  readonly rows: number;
  readonly parser: {
    registerCsiHandler(
      id: { readonly intermediates?: string; readonly final: string },
      handle: (params: (number | number[])[]) => boolean,
    ): unknown;
    registerEscHandler(id: { readonly final: string }, handle: () => boolean): unknown;
  };
  onResize(listener: () => void): unknown;
}

export class ScrollRegion {
  #rows: readonly [number, number] | undefined;
  #hasBeenSet = false;

  constructor(terminal: RegionTerminal) {
    const { parser } = terminal;
    parser.registerCsiHandler({ final: 'r' }, (params) => {
      this.#set(params, terminal.rows);
      return false;
    });
    parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => {
      this.#rows = undefined;
      return false;
    });
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#rows = undefined;
      this.#hasBeenSet = false;
      return false;
    });
    terminal.onResize(() => {
      this.#rows = undefined;
    });
  }

  /** First and last row, from 1; undefined if the whole screen scrolls. */
  get rows(): readonly [number, number] | undefined {
    return this.#rows;
  }

  /** Whether either screen may have a scroll region. */
  get hasBeenSet(): boolean {
    return this.#hasBeenSet;
  }

  /** Number of lines that push out everything, including the scrollback, wherever the cursor is. */
  linesKept(terminal: { readonly rows: number }, scrollback: number): number | undefined {
    return this.#hasBeenSet ? undefined : scrollback + 2 * terminal.rows;
  }

  #set([top, bottom]: Params, rows: number): void {
    const from = Math.max(Number(top ?? 0), 1);
    const to = Number(bottom ?? 0) === 0 ? rows : Math.min(Number(bottom), rows);
    this.#rows = from >= to || (from === 1 && to === rows) ? undefined : [from, to];
    if (this.#rows) this.#hasBeenSet = true;
  }
}
