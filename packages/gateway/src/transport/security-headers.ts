/** Security headers for every response (X1). A test compares the policy literally. */
import { isIP } from 'node:net';

export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; font-src 'self'; " +
  "connect-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** The page may also frame previews, at exactly the proxy's port (W7). */
export function policyWith(previewPort: number | undefined): string {
  if (previewPort === undefined) return CONTENT_SECURITY_POLICY;
  return CONTENT_SECURITY_POLICY.replace(
    "frame-src 'self'",
    `frame-src 'self' http://*.localhost:${previewPort}`,
  );
}

/** Sandboxed drawing page: `/drawing/<kind>.<hash of its script>.html`. */
const DRAWING_PAGE = /^\/drawing\/[a-z]+\.([A-Za-z0-9_-]{43})\.html$/;

/**
 * The content security policy of a page file. Formulas and diagrams pass untrusted text through large libraries:
 * their page has no origin, runs only its own script, and cannot fetch anything.
 */
export function policyOf(path: string, previewPort?: number): string {
  const hash = DRAWING_PAGE.exec(path)?.[1];
  if (hash === undefined) return policyWith(previewPort);
  const script = `'sha256-${hash.replaceAll('-', '+').replaceAll('_', '/')}='`;
  return (
    `sandbox allow-scripts; default-src 'none'; script-src ${script}; style-src 'unsafe-inline'; ` +
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
  );
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const YEAR_S = 365 * 24 * 3600;

/**
 * With TLS, browsers never use plain HTTP again (HSTS). Not for IP addresses, where browsers ignore it, nor for
 * `localhost`, which other programs share.
 */
export function securityHeaders(served: {
  readonly isSecure: boolean;
  readonly name: string;
}): Readonly<Record<string, string>> {
  const isOurs = isIP(served.name) === 0 && served.name !== 'localhost';
  if (!served.isSecure || !isOurs) return HEADERS;
  return { ...HEADERS, 'strict-transport-security': `max-age=${YEAR_S}` };
}
