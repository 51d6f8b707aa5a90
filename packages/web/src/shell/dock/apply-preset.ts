/** Applies a preset layout and keeps the previous layout for undo. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { kindByName } from '../../kit/card-kinds.ts';
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import type { Layout } from '../../kit/layout/layout.ts';
import { unreadableLayout } from './persist-layout.ts';
import { currentProject, paramsFor } from './picker-rows.ts';
import { type Preset, presetLayout } from './presets.ts';

let before: Layout | undefined;

export function applyPreset(client: Client, preset: Preset): void {
  const deck = client.deck.get();
  const now = layout.get();
  const project = deck && currentProject(deck)?.id;
  const session = frontSession.get();
  before = now;
  changeLayout((old) =>
    presetLayout(preset, old, {
      newId,
      make(kind) {
        const known = kindByName(kind);
        const params = known && paramsFor(known, project, session);
        return params && { id: newId(), kind, params };
      },
    }),
  );
}

/** Restores the layout before the last preset, or one that could not be read at startup. */
export function undoLayout(): void {
  const wanted = before ?? unreadableLayout();
  if (!wanted) return;
  before = layout.get();
  changeLayout((now) => ({ ...wanted, closed: now.closed }));
}
