/** Server requests of the shell, and what is shown after them. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import type { DeckRequest } from '@tugdeck/protocol/wire/deck';
import { withTrust } from './ask-trust.ts';
import { changeLayout, layout } from './layout/dock.ts';
import { moveCard } from './layout/edit-layout.ts';
import { groupById } from './layout/layout.ts';
import { findCard, openCard } from './layout/open-card.ts';
import { placeOf } from './place.ts';
import { showSession } from './route.ts';
import { isPanelOpen } from './session-panel.ts';

export interface CreateOptions {
  /** Checked when the session exists: whether it should still be shown. */
  readonly isWanted?: (() => boolean) | undefined;
  readonly show?: ((session: string) => void) | undefined;
}

/** Creates a session and shows it. Its agent starts when something is typed (D43). */
export async function createSession(
  client: Client,
  project: string,
  agent: string,
  { isWanted, show = showSession }: CreateOptions = {},
): Promise<void> {
  const session = newId();
  await client.request({ type: 'session.create', session, project, agent, later: true });
  if (isWanted?.() !== false) show(session);
}

/** Window width at which two conversations fit side by side. */
const WIDE = 1600;

/**
 * Forks a session and shows the fork beside it. `before`: the user message before which the fork ends; its text
 * goes into the composer (A6). `workspace`: where the fork works, instead of where the session does.
 */
export async function forkSession(
  client: Client,
  of: string,
  before?: { readonly id: string; readonly text: string },
  workspace?: Extract<DeckRequest, { type: 'session.fork' }>['workspace'],
): Promise<void> {
  const session = newId();
  const row = client.deck.get()?.sessions.find(({ id }) => id === of);
  await withTrust(row ? placeOf(row) : '', row?.agent ?? '', () =>
    client.request({
      type: 'session.fork',
      session,
      of,
      ...(before ? { at: before.id } : {}),
      ...(workspace ? { workspace } : {}),
    }),
  );
  if (before) client.saveDraft(session, before.text);
  showBeside(session);
}

/** Shows a session, beside the current one if there is room. */
export function showBeside(session: string): void {
  if (innerWidth >= WIDE) openCard('conversation', { session }, 'right');
  showSession(session);
}

/** Shows a session beside the group in front, where its tab is moved if it is open there. In a narrow window the panel is hidden. */
export function showToTheSide(session: string): void {
  const now = layout.get();
  const front = groupById(now, now.active);
  const open = findCard(now, 'conversation', { session });
  if (open && front && front.cards.length > 1 && front.cards.includes(open.id))
    changeLayout((old) => moveCard(old, open.id, { beside: front.id, side: 'right' }, newId()));
  else openCard('conversation', { session }, 'right');
  if (innerWidth < WIDE) isPanelOpen.set(false);
  showSession(session);
}

/** The message of an error, for users. */
export function faultText(error: unknown): string {
  const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (typeof hint !== 'string' || hint === '') return message;
  // Messages of other programs may lack a final period.
  return `${message}${/[.?!…]$/.test(message) ? '' : '.'} ${hint}`;
}
