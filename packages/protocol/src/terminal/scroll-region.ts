/**
 * The part of a terminal's screen that scrolls by itself, as a program set it. The library knows and does not tell, so this
 * listens; it handles nothing. Both screens have one of their own, of which only the last that was set is known here.
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

  /** Its first and last line, from 1; nothing where the whole screen scrolls. */
  get rows(): readonly [number, number] | undefined {
    return this.#rows;
  }

  /** Whether a part of either screen may scroll by itself. */
  get hasBeenSet(): boolean {
    return this.#hasBeenSet;
  }

  /** As many lines as push out all that was there, with those kept above the screen, from wherever the cursor is. */
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
