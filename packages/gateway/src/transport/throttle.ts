/**
 * Rate limit for password attempts (X1). Attempts are counted before they are checked, so parallel attempts gain
 * nothing; a correct password resets the count. Counted per address and in total, against attackers with many
 * addresses. Pure apart from the clock.
 */
export interface Throttle {
  /** Milliseconds to wait; 0 means that this attempt may proceed and was counted. */
  attempt(address: string): number;
  /** Call after a correct password. */
  reset(address: string): void;
}

/** Free attempts per address; the delay doubles with each further one. */
const FREE_ATTEMPTS = 5;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15 * 60_000;
/** Limit for all addresses together within a minute. */
const MAX_RECENT = 30;
const RECENT_MS = 60_000;
/** An address that was quiet for this long starts over. */
const FORGET_MS = 60 * 60_000;
const MAX_ADDRESSES = 10_000;

export function createThrottle(now: () => number): Throttle {
  const attempts = new Map<string, { count: number; at: number }>();
  let recentAttempts: number[] = [];

  return {
    attempt(address) {
      const at = now();
      const prefix = prefixOf(address);
      // The clock was set back: treat future times as now, otherwise nobody could sign in for hours.
      const known = attempts.get(prefix);
      if (known) known.at = Math.min(known.at, at);
      recentAttempts = recentAttempts.map((one) => Math.min(one, at)).filter((one) => at - one < RECENT_MS);
      const [oldest] = recentAttempts;
      if (recentAttempts.length >= MAX_RECENT && oldest !== undefined) return oldest + RECENT_MS - at;
      const previous = known && at - known.at < FORGET_MS ? known : { count: 0, at };
      const wait = previous.count < FREE_ATTEMPTS ? 0 : previous.at + delayAfter(previous.count) - at;
      if (wait > 0) return wait;
      attempts.delete(prefix);
      attempts.set(prefix, { count: previous.count + 1, at });
      // Evict the address that was quiet longest, which is first in the map.
      if (attempts.size > MAX_ADDRESSES)
        for (const first of [...attempts.keys()].slice(0, 1)) attempts.delete(first);
      recentAttempts.push(at);
      return 0;
    },
    reset(address) {
      attempts.delete(prefixOf(address));
      recentAttempts.pop();
    },
  };
}

function delayAfter(count: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - FREE_ATTEMPTS));
}

/** An attacker with one IPv6 address has a whole /64. */
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
