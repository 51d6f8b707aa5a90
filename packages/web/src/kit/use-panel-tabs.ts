/** The tabs that the panel of a session has: Preview only once there is an address (D21). */
import { useClient } from './client-context.tsx';
import { placeOfSession } from './place.ts';
import { canPreview, seenAddresses } from './preview.ts';
import { PANEL_TABS, type PanelTab, panelChoices } from './session-panel.ts';
import { useReadable, useSelected } from './use-readable.ts';

export function usePanelTabs(session: string): readonly PanelTab[] {
  const place = useSelected(useClient().deck, (deck) => placeOfSession(deck, session));
  const { preview, tab } = useReadable(panelChoices)[session] ?? {};
  const isSeen = useSelected(seenAddresses, (seen) => (seen[place ?? '']?.length ?? 0) > 0);
  const hasPreview = canPreview() && (isSeen || preview !== undefined || tab === 'preview');
  return hasPreview ? PANEL_TABS : WITHOUT_PREVIEW;
}

const WITHOUT_PREVIEW = PANEL_TABS.filter((tab) => tab !== 'preview');
