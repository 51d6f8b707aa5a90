/**
 * Previews of web servers on this machine (W7): whether this page can show them, the addresses that programs printed,
 * and opening one. Nothing opens by itself.
 */
import type { Client } from '@tugdeck/client/client';
import { originOf, readLocalAddress } from '@tugdeck/protocol/preview/local-address';
import type { CardParams } from './card-kinds.ts';
import { cell } from './cell.ts';
import { frontSession } from './layout/front-session.ts';
import { openCard, showCard } from './layout/open-card.ts';
import { placeOfSession } from './place.ts';
import { choosePanel, showPanel } from './session-panel.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
const MAX_SEEN = 5;

/** Whether this browser runs on the machine that Tugdeck runs on, judged by its address. */
export function isOnMachine({ hostname }: Pick<Location, 'hostname'> = location): boolean {
  return LOOPBACK.has(hostname);
}

/** Only in a browser on the machine itself: the proxy has a loopback address, without TLS. */
export function canPreview({
  protocol,
  hostname,
}: Pick<Location, 'protocol' | 'hostname'> = location): boolean {
  return protocol === 'http:' && isOnMachine({ hostname });
}

/** By project or workspace, newest first, one per server. */
export const seenAddresses = cell<Readonly<Record<string, readonly string[]>>>({});

export function noteAddresses(place: string, addresses: readonly string[]): void {
  const before = seenAddresses.get()[place] ?? [];
  const fresh = addresses.filter((address) => !before.includes(address));
  if (fresh.length === 0 || !canPreview()) return;
  const servers = new Set(fresh.map(serverOf));
  const others = before.filter((address) => !servers.has(serverOf(address)));
  const next = [...fresh.toReversed(), ...others].slice(0, MAX_SEEN);
  seenAddresses.set({ ...seenAddresses.get(), [place]: next });
}

/** `localhost:5173`, for buttons. */
export function serverOf(address: string): string {
  const read = readLocalAddress(address);
  return read ? new URL(originOf(read)).host : address;
}

/** The session whose panel shows a card's preview: its own, or the one in front if it works in the same place. */
export function sessionFor(client: Client, { of, session, project }: CardParams): string | undefined {
  const own = of ?? session;
  if (own !== undefined) return own;
  const front = frontSession.get();
  return placeOfSession(client.deck.get(), front) === project ? front : undefined;
}

export interface WantedPreview {
  readonly place: string;
  readonly address: string;
  /** Shown in the panel of this session; without one, as a card. */
  readonly session?: string | undefined;
}

export function showPreview({ place, address, session }: WantedPreview): void {
  if (!canPreview() || !readLocalAddress(address)) return;
  noteAddresses(place, [address]);
  if (session === undefined) {
    const card = openCard('preview', { project: place, item: address });
    if (card !== undefined) showCard(card);
    return;
  }
  choosePanel(session, { preview: address });
  showPanel(session, 'preview');
}
