/**
 * Syncs the layout with the server (D1): changes are sent after a delay, and a browser without a stored layout
 * starts with the server's. While offline, only the newest is sent once the link is up.
 */
import type { Client } from '@tugdeck/client/client';
import { faultText } from '../../kit/deck-actions.ts';
import { layout } from '../../kit/layout/dock.ts';
import { LAYOUT_VERSION, type Layout } from '../../kit/layout/layout.ts';
import { readLayout } from './read-layout.ts';

const WAIT_MS = 1_000;

/** Undefined if the server has no valid layout. */
export function serverLayout(client: Client): Layout | undefined {
  const text = client.layout.get()?.text;
  if (text === undefined) return undefined;
  try {
    const read = readLayout(JSON.parse(text));
    return read?.root ? read : undefined;
  } catch (error) {
    console.warn('the layout on the server is not JSON', error);
    return undefined;
  }
}

export function syncLayout(client: Client): () => void {
  let saved = layout.get();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    timer = undefined;
    const now = layout.get();
    if (client.limited.get() === true) return;
    if (now === saved || client.status.get().state !== 'online') return;
    saved = now;
    client
      .request({ type: 'layout.save', version: LAYOUT_VERSION, layout: JSON.stringify(now) })
      .catch((error) => console.warn(faultText(error)));
  };
  const soon = () => {
    timer ??= setTimeout(save, WAIT_MS);
  };
  const offs = [layout.subscribe(soon), client.status.subscribe(soon)];
  return () => {
    clearTimeout(timer);
    for (const off of offs) off();
  };
}
