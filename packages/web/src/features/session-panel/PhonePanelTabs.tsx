import { isLimited } from '../../kit/limited.ts';
import { isPanelOpen, showPanel } from '../../kit/session-panel.ts';
import { PHONE, useMedia } from '../../kit/use-media.ts';
import { usePanelTabs } from '../../kit/use-panel-tabs.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { PanelTabs } from './PanelTabs.tsx';

/** On a phone the tabs of the session panel are below the title of the conversation (D21). */
export function PhonePanelTabs({ session }: { session: string }) {
  const shown = usePanelTabs(session);
  const isPhone = useMedia(PHONE);
  if (useReadable(isLimited) || !isPhone) return null;
  return (
    <PanelTabs
      tab={undefined}
      shown={shown}
      hasChat
      onChoose={(tab) => (tab === undefined ? isPanelOpen.set(false) : showPanel(session, tab))}
    />
  );
}
