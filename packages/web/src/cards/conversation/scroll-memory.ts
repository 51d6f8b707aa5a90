/**
 * Scroll position per conversation (D3, D5): kept while its card is hidden and over a reload of this tab. A
 * position is a row and an offset, with the row heights, so that it is exact even if rows were added or removed at
 * either end.
 */
import type { CacheSnapshot } from 'virtua';

export interface Place {
  readonly isFollowing: boolean;
  readonly row: string | undefined;
  /** Pixels from the top of the row to the top of the viewport. */
  readonly into: number;
  readonly sizes: Sizes;
}

export interface Sizes {
  readonly rows: readonly (readonly [id: string, size: number])[];
  /** Estimated height of unmeasured rows. */
  readonly other: number;
}

export interface RecalledPlace {
  readonly isFollowing: boolean;
  readonly top: number;
  readonly cache: CacheSnapshot;
  /** The stored position, if its row is above the loaded entries. */
  readonly sought?: Place & { readonly row: string };
}

const PREFIX = 'tugdeck.place.';
/** virtua's marker for an unmeasured row, and its initial estimate. */
const UNKNOWN = -1;
const GUESS = 40;
const MAX_ROWS = 1_000;

export function rowSizes(ids: readonly string[], [sizes, other = GUESS]: CacheSnapshot): Sizes {
  return { rows: ids.map((id, index) => [id, sizes[index] ?? UNKNOWN]), other };
}

export function placeOf(
  { isFollowing, top }: { readonly isFollowing: boolean; readonly top: number },
  sizes: Sizes,
  padding: number,
): Place {
  let above = padding;
  for (const [row, size] of sizes.rows) {
    const height = size === UNKNOWN ? sizes.other : size;
    if (above + height > top) return { isFollowing, row, into: top - above, sizes };
    above += height;
  }
  return { isFollowing, row: undefined, into: 0, sizes };
}

export function findPlace(place: Place, ids: readonly string[], padding: number): RecalledPlace {
  const known = new Map(place.sizes.rows);
  const sizes = ids.map((id) => known.get(id) ?? UNKNOWN);
  const at = place.row === undefined ? -1 : ids.indexOf(place.row);
  // The row is above the loaded entries: the top is nearest.
  let top = at < 0 ? 0 : padding + place.into;
  for (const size of sizes.slice(0, Math.max(0, at))) top += size === UNKNOWN ? place.sizes.other : size;
  const { isFollowing, row } = place;
  return {
    isFollowing,
    top,
    cache: [sizes, place.sizes.other],
    ...(row !== undefined && at < 0 && !isFollowing ? { sought: { ...place, row } } : {}),
  };
}

const places = new Map<string, Place>();
const open = new Map<string, () => Place | undefined>();

export function recallPlace(
  session: string,
  ids: readonly string[],
  padding: number,
): RecalledPlace | undefined {
  const place = places.get(session) ?? load(session);
  return place && findPlace(place, ids, padding);
}

/** `read` is called when the list unmounts or the page is closed. */
export function watchPlace(session: string, read: () => Place | undefined): () => void {
  if (open.size === 0) addEventListener('pagehide', storeAll);
  open.set(session, read);
  return () => {
    const place = read();
    if (place) places.set(session, place);
    if (open.get(session) === read) open.delete(session);
    if (place) store(session, place);
  };
}

function storeAll(): void {
  for (const [session, read] of open) {
    const place = read();
    if (place) store(session, place);
  }
}

function store(session: string, place: Place): void {
  const { rows, other } = place.sizes;
  // The rows around the position; when following, that is the end.
  const at = place.isFollowing ? -1 : rows.findIndex(([id]) => id === place.row);
  const last = Math.max(0, rows.length - MAX_ROWS);
  const first = at < 0 ? last : Math.min(last, Math.max(0, at - MAX_ROWS / 2));
  const kept = { ...place, sizes: { rows: rows.slice(first, first + MAX_ROWS), other } };
  try {
    sessionStorage.setItem(PREFIX + session, JSON.stringify(kept));
  } catch (error) {
    console.warn('the scroll position could not be stored', error);
  }
}

function load(session: string): Place | undefined {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(PREFIX + session) ?? 'null');
    return isPlace(read) ? read : undefined;
  } catch (error) {
    console.warn('the scroll position could not be read', error);
    return undefined;
  }
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null) return false;
  const { isFollowing, row, into, sizes } = value as Partial<Place>;
  return (
    typeof isFollowing === 'boolean' &&
    (row === undefined || typeof row === 'string') &&
    Number.isFinite(into) &&
    Number.isFinite(sizes?.other) &&
    Array.isArray(sizes?.rows) &&
    sizes.rows.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && Number.isFinite(pair[1]))
  );
}
