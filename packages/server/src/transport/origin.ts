/**
 * The one origin (X1). A request must name it exactly in `Host`, and in `Origin` where there is one, or it is
 * refused: this stops DNS rebinding and sockets opened by foreign pages. No other spelling counts as equal.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface OriginRule {
  /** `http://127.0.0.1:7700` */
  readonly origin: string;
  readonly host: string;
}

/** `name` is what browsers write before the port; they leave the port out where it is the usual one. */
export function originRule(name: string, port: number, isSecure = false): OriginRule {
  const usual = isSecure ? 443 : 80;
  const host = `${name.includes(':') ? `[${name}]` : name}${port === usual ? '' : `:${port}`}`;
  return { origin: `${isSecure ? 'https' : 'http'}://${host}`, host };
}

/** Browsers send no `Origin` with a plain navigation; with a socket or a write they always do. */
export function isOwnOrigin(
  rule: OriginRule,
  headers: IncomingHttpHeaders,
  { required }: { readonly required: boolean },
): boolean {
  if (headers.host !== rule.host) return false;
  if (headers.origin === undefined) return !required;
  return headers.origin === rule.origin;
}

/** Names of this machine that nobody else can reach. */
export function isLoopback(address: string): boolean {
  return address === '127.0.0.1' || address === '::1' || address === 'localhost';
}
