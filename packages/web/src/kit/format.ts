/** Formats numbers and times for display. Pure. */

export function duration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** For running clocks: whole seconds, so that the width hardly changes. */
export function elapsed(ms: number): string {
  return duration(Math.max(0, Math.floor(ms / 1000)) * 1000)
    .replace(/^0ms$/, '0s')
    .replace('.0s', 's');
}

export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 60 ? `${days}d` : `${Math.floor(days / 30)}mo`;
}

export function exactTime(at: number): string {
  return new Date(at).toLocaleString();
}

/** To the minute, with the date if it is another day. */
export function localTime(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)];
  const time = date.toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' });
  if (date.toDateString() === today.toDateString()) return time;
  return `${date.toLocaleDateString(undefined, { weekday: 'short', month: 'short', day: 'numeric' })}, ${time}`;
}

/** "in 2h 5m"; undefined for the past. */
export function timeUntil(at: number, now: number): string | undefined {
  const left = at - now;
  if (left <= 0) return undefined;
  return `in ${left < 60_000 ? elapsed(left) : duration(Math.ceil(left / 60_000) * 60_000)}`;
}

export function count(number: number): string {
  if (number < 1_000) return String(number);
  if (number < 100_000) return `${(number / 1_000).toFixed(1).replace(/\.0$/, '')}k`;
  if (number < 1_000_000) return `${Math.round(number / 1_000)}k`;
  return `${(number / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${Math.round(size / 1024)} KB`;
  if (size < 1024 ** 3) return `${(size / 1024 ** 2).toFixed(size < 100 * 1024 ** 2 ? 1 : 0)} MB`;
  return `${(size / 1024 ** 3).toFixed(1)} GB`;
}

export function cost(usd: number): string {
  return usd > 0 && usd < 0.01 ? '< $0.01' : `$${usd.toFixed(2)}`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
