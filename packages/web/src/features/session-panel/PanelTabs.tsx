import type { KeyboardEvent, PointerEvent } from 'react';
import { PANEL_LABELS, type PanelTab, wantedPanelFocus } from '../../kit/session-panel.ts';

export interface PanelTabsProps {
  /** Undefined: the conversation itself, on a phone. */
  tab: PanelTab | undefined;
  /** Preview only where an address was seen. */
  shown: readonly PanelTab[];
  /** On a phone the conversation is the first of the tabs. */
  hasChat?: boolean;
  onChoose: (tab: PanelTab | undefined) => void;
  onPointerDown?: (tab: PanelTab, event: PointerEvent<HTMLElement>) => void;
}

/** The tabs of the session panel (D21). */
export function PanelTabs({ tab, shown, hasChat = false, onChoose, onPointerDown }: PanelTabsProps) {
  const tabs: readonly (PanelTab | undefined)[] = hasChat ? [undefined, ...shown] : shown;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
    onChoose(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-panel-tab="${next ?? 'chat'}"]`)?.focus();
  };
  /** Typing continues in a terminal that was opened on purpose; arrow keys only pass its tab. */
  const onClick = (next: PanelTab | undefined) => {
    onChoose(next);
    if (next === 'terminal') wantedPanelFocus.set(next);
  };
  return (
    <div className="panel-tabs" role="tablist" aria-label="Session panel" onKeyDown={onKeyDown}>
      {tabs.map((each) => (
        <button
          key={each ?? 'chat'}
          type="button"
          role="tab"
          className="panel-tab"
          data-panel-tab={each ?? 'chat'}
          aria-selected={each === tab}
          tabIndex={each === tab ? 0 : -1}
          onClick={() => onClick(each)}
          onPointerDown={each === undefined ? undefined : (event) => onPointerDown?.(each, event)}
        >
          {each === undefined ? 'Chat' : PANEL_LABELS[each]}
        </button>
      ))}
    </div>
  );
}
