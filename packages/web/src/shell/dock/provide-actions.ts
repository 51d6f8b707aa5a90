/** Registers card and layout actions for keys and the palette. Loaded after the first render. */
import type { Client } from '@tugdeck/client/client';
import { provideAction, runAction } from '../../kit/action-runners.ts';
import { layout } from '../../kit/layout/dock.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import { findCard, openCard, showCard } from '../../kit/layout/open-card.ts';
import { canPreview } from '../../kit/preview.ts';
import {
  isPanelOpen,
  PANEL_TABS,
  type PanelTab,
  showPanel,
  wantedPanelFocus,
} from '../../kit/session-panel.ts';
import { CARD_KINDS } from '../card-kinds.ts';
import { applyPreset, undoLayout } from './apply-preset.ts';
import { dockActions } from './dock-actions.ts';
import { currentProject, paramsFor } from './picker-rows.ts';
import { PRESETS } from './presets.ts';

export function provideDockActions(client: Client): () => void {
  const presets = PRESETS.map((name) => [`layout.${name}`, () => applyPreset(client, name)] as const);
  const all = [
    ...Object.entries(dockActions()),
    ...Object.entries(openActions(client)),
    ...presets,
    ...Object.entries(panelActions()),
    ['layout.undo', undoLayout] as const,
  ];
  const offs = all.map(([id, run]) => provideAction(id, run));
  return () => {
    for (const off of offs) off();
  };
}

/** Actions of the session panel (D21). Without a session in front they do nothing. */
function panelActions(): Readonly<Record<string, () => void>> {
  const show = (tab: PanelTab) => () => {
    const session = frontSession.get();
    if (session === undefined) return;
    showPanel(session, tab);
    wantedPanelFocus.set(tab);
  };
  return {
    'panel.toggle': () => isPanelOpen.set(!isPanelOpen.get()),
    'terminal.toggle': () => {
      const session = frontSession.get();
      const isInTerminal = document.activeElement?.closest('.terminal-host') ?? null;
      const talk = session === undefined ? undefined : findCard(layout.get(), 'conversation', { session });
      if (session === undefined) runAction('open.terminal');
      else if (isInTerminal && talk) {
        showCard(talk.id);
        const box = document.querySelector<HTMLElement>(
          `[id="card-${talk.id}"] textarea[aria-label="Message"]`,
        );
        box?.focus({ preventScroll: true });
      } else show('terminal')();
    },
    ...Object.fromEntries(
      PANEL_TABS.filter((tab) => tab !== 'preview' || canPreview()).map((tab) => [`panel.${tab}`, show(tab)]),
    ),
  };
}

/** Actions that open a card of each kind for the current project: `open.<kind>` of the key table. */
function openActions(client: Client): Readonly<Record<string, () => void>> {
  return Object.fromEntries(
    CARD_KINDS.map((kind) => [
      `open.${kind.kind}`,
      () => {
        const deck = client.deck.get();
        const params = paramsFor(kind, deck && currentProject(deck)?.id, frontSession.get());
        const card = params && openCard(kind.kind, params);
        if (card !== undefined) showCard(card);
      },
    ]),
  );
}
