/**
 * The open previews (W7): each has its own host name, a one-time sign-in and a cookie that only its frame has.
 * Names and cookies are derived from the instance's key; nobody can guess them, and a preview keeps its origin.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { OpenPreview, PreviewTarget } from '@tugdeck/machine/preview-access';
import type { Instance } from '../transport/instance.ts';

export interface Preview {
  readonly target: PreviewTarget;
  /** The frame's origin. */
  readonly origin: string;
  readonly host: string;
  /** Connections that end with it. */
  readonly connections: Set<Duplex>;
}

const TOKEN_MS = 60_000;
const MAX_PREVIEWS = 64;
const LABEL_LENGTH = 26;

export class Previews {
  readonly #key: Buffer;
  readonly #now: () => number;
  readonly #port: () => number;
  readonly #ofThisServer = randomBytes(16).toString('base64url');
  readonly #open = new Map<Preview, string>();
  readonly #tokens = new Map<string, { readonly preview: Preview; readonly expiresAt: number }>();

  constructor({ key }: Instance, port: () => number, now: () => number) {
    this.#key = key;
    this.#port = port;
    this.#now = now;
  }

  open(target: PreviewTarget): OpenPreview {
    for (const [oldest] of this.#open) {
      if (this.#open.size < MAX_PREVIEWS) break;
      this.#end(oldest);
    }
    const host = `${labelOf(this.#mac(`name ${target.name}`))}.localhost:${this.#port()}`;
    const preview: Preview = { target, host, origin: `http://${host}`, connections: new Set() };
    // The same for all windows of a browser: they share the frame's cookies.
    const cookie = this.#mac(`cookie ${this.#ofThisServer} ${target.signIn} ${host}`).toString('base64url');
    this.#open.set(preview, cookie);
    const token = randomBytes(32).toString('base64url');
    this.#tokens.set(token, { preview, expiresAt: this.#now() + TOKEN_MS });
    return {
      url: `${preview.origin}/.tugdeck/in/${token}`,
      origin: preview.origin,
      end: () => this.#end(preview),
    };
  }

  isHost(host: string | undefined): boolean {
    return [...this.#open.keys()].some((preview) => preview.host === host);
  }

  /** The newest preview of this host whose frame has the cookie. */
  find(host: string | undefined, cookies: readonly string[]): Preview | undefined {
    return [...this.#open].findLast(
      ([preview, cookie]) => preview.host === host && cookies.includes(cookie),
    )?.[0];
  }

  /** The cookie for a one-time token, which must be of this host. */
  redeem(host: string | undefined, token: string): { cookie: string; path: string } | undefined {
    const issued = this.#tokens.get(token);
    if (!issued || issued.preview.host !== host) return undefined;
    this.#tokens.delete(token);
    const cookie = this.#open.get(issued.preview);
    if (cookie === undefined || issued.expiresAt <= this.#now()) return undefined;
    return { cookie, path: issued.preview.target.path };
  }

  endAll(): void {
    for (const preview of [...this.#open.keys()]) this.#end(preview);
  }

  #end(preview: Preview): void {
    this.#open.delete(preview);
    for (const [token, issued] of this.#tokens) if (issued.preview === preview) this.#tokens.delete(token);
    for (const connection of preview.connections) connection.destroy();
    preview.connections.clear();
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(`preview ${text}`).digest();
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** 130 bits as a host label. */
function labelOf(mac: Buffer): string {
  return [...mac.subarray(0, LABEL_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}
