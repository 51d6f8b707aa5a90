/**
 * Asks whether this browser is signed in. A page cannot see why a WebSocket was refused, so after a failed
 * connect the plain request tells a missing cookie (401) from a server that is away.
 */
export type SignIn = 'signed-in' | 'signed-out' | 'unreachable';
export type SignInProbe = () => Promise<SignIn>;

export function createSignInProbe(socketUrl: string): SignInProbe {
  const address = new URL('/api/me', socketUrl);
  address.protocol = address.protocol === 'wss:' || address.protocol === 'https:' ? 'https:' : 'http:';
  return async () => {
    try {
      const answer = await fetch(address, { credentials: 'same-origin', cache: 'no-store' });
      if (answer.status === 401) return 'signed-out';
      return answer.ok ? 'signed-in' : 'unreachable';
    } catch (error) {
      // fetch tells every failure of the network as a TypeError.
      if (error instanceof TypeError) return 'unreachable';
      throw error;
    }
  };
}
