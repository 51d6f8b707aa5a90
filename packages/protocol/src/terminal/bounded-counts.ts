/**
 * Limits the counts of repeating terminal sequences. The terminal library executes them literally: two billion
 * inserted lines would block a page for hours, and in the terminal host every terminal. More than a screenful makes
 * no visible difference. Used by host and page.
 */
interface Params {
  readonly params: { [index: number]: number | undefined };
}

/** Internal API of the library, whose version is pinned. Its public API only exposes a copy of the parameters. */
interface Inside {
  readonly _core: {
    registerCsiHandler(id: { final: string }, handle: (params: Params) => boolean): unknown;
  };
}

export interface Sized {
  readonly cols: number;
  readonly rows: number;
}

/** Insert, delete and scroll lines. */
const BY_ROWS = ['L', 'M', 'S', 'T'];
/** Tab forward and back, repeat the last character. */
const BY_COLS = ['I', 'Z', 'b'];

export function limitCounts(terminal: Sized): void {
  const { _core } = terminal as Sized & Inside;
  const bound = (final: string, max: () => number) =>
    _core.registerCsiHandler({ final }, ({ params }) => {
      if ((params[0] ?? 0) > max()) params[0] = max();
      // The library's own handler runs next.
      return false;
    });
  for (const final of BY_ROWS) bound(final, () => terminal.rows);
  for (const final of BY_COLS) bound(final, () => terminal.cols);
}
