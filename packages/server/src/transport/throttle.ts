/**
 * How often a password may be tried (X1). A try is counted before it is looked at, so that many at once gain
 * nothing; a right one gives its count back. Each address has its own count, and all together have one, for whoever
 * has many addresses. Pure but for the clock it is given.
 */
export interface Throttle {
  /** Milliseconds to wait, or 0: then this try is counted. */
  take(address: string): number;
  /** The try was right. */
  forgive(address: string): void;
}

/** Free tries of one address; each further one waits twice as long as the one before. */
const FREE = 5;
const FIRST_MS = 1_000;
const LONGEST_MS = 15 * 60_000;
/** Of all addresses together within a minute. */
const TOGETHER = 30;
const TOGETHER_MS = 60_000;
/** An address that was quiet for so long begins anew. */
const FORGET_MS = 60 * 60_000;
const MAX_ADDRESSES = 10_000;

export function createThrottle(now: () => number): Throttle {
  const tries = new Map<string, { count: number; at: number }>();
  let recent: number[] = [];

  return {
    take(address) {
      const at = now();
      const who = prefixOf(address);
      // The clock was set back: times that are still to come count as now, or nobody could try for hours.
      const known = tries.get(who);
      if (known) known.at = Math.min(known.at, at);
      recent = recent.map((one) => Math.min(one, at)).filter((one) => at - one < TOGETHER_MS);
      const [oldest] = recent;
      if (recent.length >= TOGETHER && oldest !== undefined) return oldest + TOGETHER_MS - at;
      const mine = known && at - known.at < FORGET_MS ? known : { count: 0, at };
      const wait = mine.count < FREE ? 0 : mine.at + pause(mine.count) - at;
      if (wait > 0) return wait;
      tries.delete(who);
      tries.set(who, { count: mine.count + 1, at });
      // The longest quiet one makes room: it is the first of the map.
      if (tries.size > MAX_ADDRESSES) for (const first of [...tries.keys()].slice(0, 1)) tries.delete(first);
      recent.push(at);
      return 0;
    },
    forgive(address) {
      tries.delete(prefixOf(address));
      recent.pop();
    },
  };
}

function pause(count: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (count - FREE));
}

/** Who has one IPv6 address has 2^64 of them. */
function prefixOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!plain.includes(':')) return plain;
  const [head = ''] = plain.split('%');
  const [left = '', right] = head.split('::');
  const groups = left === '' ? [] : left.split(':');
  const rest = right === undefined || right === '' ? [] : right.split(':');
  const filled =
    right === undefined ? groups : [...groups, ...Array(8 - groups.length - rest.length).fill('0'), ...rest];
  return filled.slice(0, 4).join(':');
}
