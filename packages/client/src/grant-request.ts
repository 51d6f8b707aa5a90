/** The request that exchanges a one-time token (X1). Small, because the page sends it before the rest of its code has loaded. */
export const SIGN_IN = '/api/sign-in';
const TOKEN = /^\/in\/([\w-]{1,200})$/;

/** The token in the path of a sign-in link. */
export function tokenOf(path: string): string | undefined {
  return TOKEN.exec(path)?.[1];
}

export function requestGrant(token: string, origin: string, send: typeof fetch): Promise<Response> {
  return send(new URL(SIGN_IN, origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    credentials: 'omit',
    cache: 'no-store',
  });
}
