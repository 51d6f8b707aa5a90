/** Applies a preset layout, and keeps the previous one for undo. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { kindByName } from '../../kit/card-kinds.ts';
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import type { Layout } from '../../kit/layout/layout.ts';
import { reviewed } from '../../kit/reviewed.ts';
import { leaveHome } from '../../kit/route.ts';
import { isPanelOpen } from '../../kit/session-panel.ts';
import { SESSION_STATES, sessionState, stateSince } from '../../kit/session-state.ts';
import { unreadableLayout } from './persist-layout.ts';
import { currentProject, paramsFor } from './picker-rows.ts';
import { type Preset, presetLayout } from './presets.ts';

let before: { readonly layout: Layout; readonly isPanelOpen: boolean } | undefined;

export function applyPreset(client: Client, preset: Preset): void {
  const deck = client.deck.get();
  const project = deck && currentProject(deck)?.id;
  const session = frontSession.get();
  before = { layout: layout.get(), isPanelOpen: isPanelOpen.get() };
  changeLayout((old) =>
    presetLayout(preset, old, {
      newId,
      front: session,
      urgent: urgentSessions(client),
      makeReview() {
        const known = kindByName('review');
        const params = known && paramsFor(known, project, session);
        return params && { id: newId(), kind: 'review', params };
      },
    }),
  );
  isPanelOpen.set(preset === 'conversation');
  leaveHome(frontSession.get());
}

/** States of sessions that belong into a grid, the most urgent first. */
const URGENT = SESSION_STATES.slice(0, SESSION_STATES.indexOf('done'));

function urgentSessions(client: Client): readonly string[] {
  const now = Date.now();
  const rows = (client.deck.get()?.sessions ?? [])
    .filter((row) => !row.archived && row.trashedAt === undefined)
    .map((row) => ({ row, state: sessionState(row, { now, reviewed: reviewed.get()[row.id] }) }))
    .filter(({ state }) => URGENT.includes(state));
  return rows
    .sort(
      (a, b) =>
        URGENT.indexOf(a.state) - URGENT.indexOf(b.state) ||
        stateSince(a.row, a.state) - stateSince(b.row, b.state),
    )
    .map(({ row }) => row.id);
}

/** Restores the layout before the last preset, or one that could not be read at startup. */
export function undoLayout(): void {
  const wanted = before?.layout ?? unreadableLayout();
  if (!wanted) return;
  const wasOpen = before?.isPanelOpen;
  before = { layout: layout.get(), isPanelOpen: isPanelOpen.get() };
  changeLayout((now) => ({ ...wanted, closed: now.closed }));
  if (wasOpen !== undefined) isPanelOpen.set(wasOpen);
}
