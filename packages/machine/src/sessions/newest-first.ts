/**
 * Sessions ordered by last activity. Kept sorted, because sorting thousands of sessions whenever a page opens would
 * block the event loop.
 */
export interface DatedSession {
  readonly id: string;
  readonly activeAt: number;
}

/** Position is looked up again after this many, so that changes in between are respected. */
const BATCH = 200;

export class NewestFirst<T extends DatedSession> {
  readonly #order: T[] = [];

  /** Iterates all sessions. Sessions that do not move during the iteration are yielded once. */
  *walk(): Generator<T> {
    let part = this.#order.slice(0, BATCH);
    for (let last = part.at(-1); last; last = part.at(-1)) {
      yield* part;
      const at = this.#position(last);
      const from = this.#order[at]?.id === last.id ? at + 1 : at;
      part = this.#order.slice(from, from + BATCH);
    }
  }

  add(session: T): void {
    this.#order.splice(this.#position(session), 0, session);
  }

  /** `session` must be as it was when added. */
  remove(session: T): void {
    const at = this.#position(session);
    if (this.#order[at]?.id === session.id) this.#order.splice(at, 1);
  }

  #position(session: T): number {
    let from = 0;
    let to = this.#order.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#order[middle];
      if (other && isBefore(other, session)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Merges two iterators in that order. */
export function* mergeNewest<T extends DatedSession>(these: Iterator<T>, those: Iterator<T>): Generator<T> {
  let [one, other] = [these.next(), those.next()];
  while (!one.done || !other.done) {
    if (!one.done && (other.done || one.value.activeAt >= other.value.activeAt)) {
      yield one.value;
      one = these.next();
    } else if (!other.done) {
      yield other.value;
      other = those.next();
    }
  }
}

function isBefore(one: DatedSession, other: DatedSession): boolean {
  return one.activeAt > other.activeAt || (one.activeAt === other.activeAt && one.id < other.id);
}
