/** Registers card and layout actions for keys and the palette. Loaded after the first render. */
import type { Client } from '@tugdeck/client/client';
import { provideAction } from '../../kit/action-runners.ts';
import { applyPreset, undoLayout } from './apply-preset.ts';
import { dockActions } from './dock-actions.ts';
import { openActions } from './open-actions.ts';
import { PRESETS } from './presets.ts';

export function provideDockActions(client: Client): () => void {
  const presets = PRESETS.map((name) => [`layout.${name}`, () => applyPreset(client, name)] as const);
  const all = [
    ...Object.entries(dockActions()),
    ...Object.entries(openActions(client)),
    ...presets,
    ['layout.undo', undoLayout] as const,
  ];
  const offs = all.map(([id, run]) => provideAction(id, run));
  return () => {
    for (const off of offs) off();
  };
}
