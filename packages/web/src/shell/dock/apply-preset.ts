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
import { unreadableLayout } from './persist-layout.ts';
import { currentProject, paramsFor } from './picker-rows.ts';
import { type Preset, presetLayout } from './presets.ts';
import { urgentSessions } from './urgent-sessions.ts';

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
      urgent: urgentSessions(
        deck?.sessions ?? [],
        Date.now(),
        reviewed.get(),
        old.cards.flatMap(({ params }) => params.session ?? []),
      ),
      stage: stageRoom(),
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

/** The stage without the panel, which a grid closes. */
function stageRoom(): { readonly width: number; readonly height: number } {
  const stage = document.querySelector('.dock')?.getBoundingClientRect();
  const panel = document.querySelector('.session-panel')?.getBoundingClientRect();
  const { left = 0, right = innerWidth, height = innerHeight } = stage ?? {};
  return { width: Math.max(right, panel?.right ?? 0) - left, height };
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
