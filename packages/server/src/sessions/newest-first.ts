/**
 * Sessions by their last activity, kept in order as they come and change: there may be thousands, and sorting them holds
 * everybody up whenever a page opens.
 */
export interface Dated {
  readonly id: string;
  readonly activeAt: number;
}

export class NewestFirst<T extends Dated> implements Iterable<T> {
  readonly #order: T[] = [];

  [Symbol.iterator](): Iterator<T> {
    return this.#order[Symbol.iterator]();
  }

  add(session: T): void {
    this.#order.splice(this.#place(session), 0, session);
  }

  /** Takes out what was added, as it was then. */
  remove(session: T): void {
    const at = this.#place(session);
    if (this.#order[at]?.id === session.id) this.#order.splice(at, 1);
  }

  #place(session: T): number {
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

/** Of two lists in that order, one. */
export function mergeNewest<T extends Dated>(these: readonly T[], those: readonly T[]): T[] {
  const all: T[] = [];
  let at = 0;
  for (const one of these) {
    for (let other = those[at]; other && other.activeAt > one.activeAt; other = those[at]) {
      all.push(other);
      at += 1;
    }
    all.push(one);
  }
  for (; at < those.length; at += 1) all.push(those[at] as T);
  return all;
}

function isBefore(one: Dated, other: Dated): boolean {
  return one.activeAt > other.activeAt || (one.activeAt === other.activeAt && one.id < other.id);
}
