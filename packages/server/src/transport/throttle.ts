/**
 * How often a password may be tried (X1). A try is counted before it is looked at, so that many at once gain
 * nothing; a right one gives its count back. Each address has its own count, and all together have one, for whoever
 * has many addresses. Pure but for the clock it is given.
 */
export interface Throttle {
  /** Milliseconds to wait, or 0: then this try is counted. */
  attempt(address: string): number;
  /** The try was right. */
  reset(address: string): void;
}

/** Free tries of one address; each further one waits twice as long as the one before. */
const FREE_ATTEMPTS = 5;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15 * 60_000;
/** Of all addresses together within a minute. */
const MAX_RECENT = 30;
const RECENT_MS = 60_000;
/** An address that was quiet for so long begins anew. */
const FORGET_MS = 60 * 60_000;
const MAX_ADDRESSES = 10_000;

export function createThrottle(now: () => number): Throttle {
  const attempts = new Map<string, { count: number; at: number }>();
  let recent: number[] = [];

  return {
    attempt(address) {
      const at = now();
      const prefix = prefixOf(address);
      // The clock was set back: times that are still to come count as now, or nobody could try for hours.
      const known = attempts.get(prefix);
      if (known) known.at = Math.min(known.at, at);
      recent = recent.map((one) => Math.min(one, at)).filter((one) => at - one < RECENT_MS);
      const [oldest] = recent;
      if (recent.length >= MAX_RECENT && oldest !== undefined) return oldest + RECENT_MS - at;
      const previous = known && at - known.at < FORGET_MS ? known : { count: 0, at };
      const wait = previous.count < FREE_ATTEMPTS ? 0 : previous.at + delayAfter(previous.count) - at;
      if (wait > 0) return wait;
      attempts.delete(prefix);
      attempts.set(prefix, { count: previous.count + 1, at });
      // The longest quiet one makes room: it is the first of the map.
      if (attempts.size > MAX_ADDRESSES)
        for (const first of [...attempts.keys()].slice(0, 1)) attempts.delete(first);
      recent.push(at);
      return 0;
    },
    reset(address) {
      attempts.delete(prefixOf(address));
      recent.pop();
    },
  };
}

function delayAfter(count: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - FREE_ATTEMPTS));
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
