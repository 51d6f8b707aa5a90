/**
 * The origin check (X1). `Host` must match exactly, and so must `Origin` if present. This stops DNS rebinding and
 * sockets opened by other sites.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface OriginRule {
  /** `http://127.0.0.1:7700` */
  readonly origin: string;
  readonly host: string;
}

/** `name` is the host name in the browser; the default port is omitted, as browsers do. */
export function originRule(name: string, port: number, isSecure = false): OriginRule {
  const usual = isSecure ? 443 : 80;
  const host = `${name.includes(':') ? `[${name}]` : name}${port === usual ? '' : `:${port}`}`;
  return { origin: `${isSecure ? 'https' : 'http'}://${host}`, host };
}

/** Browsers omit `Origin` on plain navigation, but always send it with sockets and writes. */
export function isOwnOrigin(
  rule: OriginRule,
  headers: IncomingHttpHeaders,
  { required }: { readonly required: boolean },
): boolean {
  if (headers.host !== rule.host) return false;
  if (headers.origin === undefined) return !required;
  return headers.origin === rule.origin;
}

/** Whether only this machine can reach the address. */
export function isLoopback(address: string): boolean {
  return address === '127.0.0.1' || address === '::1' || address === 'localhost';
}
