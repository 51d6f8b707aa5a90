/**
 * The page's requests to `/api/` (X1): signed with this browser's sign-in, only to a verified server. Elements that
 * load by themselves (images, downloads) get a signed URL. Without a server (in tests), requests are sent unsigned.
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

/** A signed URL is valid for at least five minutes. */
const RENEW_MS = 4 * 60_000;

/** Undefined until signed. `renewed` keeps the URL valid, for links that the user may follow at any time. */
export function useSignedAddress(path: string, { renewed = false } = {}): string | undefined {
  const [signed, setSigned] = useState<{ readonly path: string; readonly address: string }>();
  useEffect(() => {
    let isGone = false;
    const sign = () =>
      void signedAddress(path).then(
        (address) => isGone || setSigned({ path, address }),
        // The connection is lost; the page shows that elsewhere.
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

/** Signs out and shows the page for signing in: what is drawn must not stay on the screen. */
export async function signOutHere(): Promise<void> {
  await access?.signOut();
  location.replace('/');
}
