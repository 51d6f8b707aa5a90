/**
 * Sequences that repeat something carry a count, and the terminal library does as often as it says: two thousand million
 * lines inserted would hold up a page for hours, and with the terminal host every terminal. More than the screen is large
 * makes no difference to what is seen, so more is not done. For the host's terminal and the page's alike.
 */
interface Params {
  readonly params: { [index: number]: number | undefined };
}

/** What of the library's own is needed and not promised; its version is fixed. A copy is all that its open part gives. */
interface Inside {
  readonly _core: {
    registerCsiHandler(id: { final: string }, handle: (params: Params) => boolean): unknown;
  };
}

export interface Sized {
  readonly cols: number;
  readonly rows: number;
}

/** Lines inserted, deleted and scrolled. */
const BY_ROWS = ['L', 'M', 'S', 'T'];
/** Tabs forward and back, the last character again. */
const BY_COLS = ['I', 'Z', 'b'];

export function limitCounts(terminal: Sized): void {
  const { _core } = terminal as Sized & Inside;
  const bound = (final: string, most: () => number) =>
    _core.registerCsiHandler({ final }, ({ params }) => {
      if ((params[0] ?? 0) > most()) params[0] = most();
      // The library's own does the rest.
      return false;
    });
  for (const final of BY_ROWS) bound(final, () => terminal.rows);
  for (const final of BY_COLS) bound(final, () => terminal.cols);
}
