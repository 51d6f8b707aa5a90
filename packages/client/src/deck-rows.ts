/**
 * The deck, assembled from the parts the server sends: a welcome with the newest rows, then the others, then
 * changes. While a list is still arriving, rows of an earlier link stay, so that nothing flickers; the last part
 * removes the rows that were not listed again.
 */
import type { Deck, DeckHead, DeckMessage, SessionRow } from '@tugdeck/protocol/wire/deck';

type Rows = Extract<DeckMessage, { type: 'rows' }>;

export class DeckRows {
  #head: DeckHead = { projects: [], agents: [], defaultAgent: '' };
  #rows: SessionRow[] = [];
  readonly #places = new Map<string, number>();
  /** Ids listed so far by the list that is arriving. */
  #listed: Set<string> | undefined;

  welcome({ sessions, more = false, ...head }: Deck): Deck {
    this.#head = head;
    this.#listed = new Set();
    if (!more) this.#removeWhere(() => true);
    return this.rows({ type: 'rows', rows: sessions, more });
  }

  head(head: DeckHead): Deck {
    this.#head = head;
    const projects = new Set(head.projects.map(({ id }) => id));
    this.#removeWhere(({ project }) => !projects.has(project));
    return this.deck();
  }

  rows({ rows, gone = [], more }: Rows): Deck {
    if (more !== undefined) this.#listed ??= new Set();
    if (gone.length > 0) {
      const lost = new Set(gone);
      this.#removeWhere(({ id }) => lost.has(id));
    }
    for (const row of rows) this.#put(row);
    if (more === false) {
      const listed = this.#listed;
      this.#listed = undefined;
      if (listed) this.#removeWhere(({ id }) => !listed.has(id));
    }
    return this.deck();
  }

  get(id: string): SessionRow | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#rows[place];
  }

  /** The deck as far as it has arrived. */
  deck(): Deck {
    const deck = { ...this.#head, sessions: this.#rows.slice() };
    return this.#listed ? { ...deck, more: true } : deck;
  }

  /** Shows the cached deck until the server answers. */
  restore(deck: Deck): void {
    const { sessions, more: _, ...head } = deck;
    this.#head = head;
    for (const row of sessions) this.#put(row);
  }

  #put(row: SessionRow): void {
    this.#listed?.add(row.id);
    const place = this.#places.get(row.id);
    if (place !== undefined) {
      this.#rows[place] = row;
      return;
    }
    this.#places.set(row.id, this.#rows.length);
    this.#rows.push(row);
  }

  #removeWhere(isGone: (row: SessionRow) => boolean): void {
    const kept = this.#rows.filter((row) => !isGone(row));
    if (kept.length === this.#rows.length) return;
    this.#rows = kept;
    this.#places.clear();
    kept.forEach((row, place) => {
      this.#places.set(row.id, place);
    });
  }
}
