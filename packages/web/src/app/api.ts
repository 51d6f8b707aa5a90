/**
 * The page's requests to `/api/` (X1): with the proof of this browser's sign-in, and to a server that has proven itself. Elements that load by
 * themselves (images, downloads) get a signed address. In a page without a server, requests go out as they are.
 */
import type { Access } from '@tugdeck/client/access';
import { useEffect, useState } from 'react';

let access: Access | undefined;

export function setAccess(given: Access): void {
  access = given;
}

export function apiFetch(path: string, init?: RequestInit): Promise<Response> {
  return access ? access.fetch(path, init) : fetch(path, init);
}

export async function signedAddress(path: string): Promise<string> {
  return access ? access.signAddress(path) : path;
}

/** A signed address holds for five minutes at least. */
const RENEW_MS = 4 * 60_000;

/**
 * Undefined until it is there. What was loaded once stays; an address that the user may follow at any time is
 * `renewed`.
 */
export function useSignedAddress(path: string, { renewed = false } = {}): string | undefined {
  const [signed, setSigned] = useState<{ readonly path: string; readonly address: string }>();
  useEffect(() => {
    let isGone = false;
    const sign = () =>
      void signedAddress(path).then(
        (address) => isGone || setSigned({ path, address }),
        // The link to the server is gone, and the page says so elsewhere.
        () => undefined,
      );
    sign();
    const timer = renewed ? setInterval(sign, RENEW_MS) : undefined;
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [path, renewed]);
  return signed?.path === path ? signed.address : undefined;
}

export async function signOutHere(): Promise<void> {
  await access?.signOut();
}
