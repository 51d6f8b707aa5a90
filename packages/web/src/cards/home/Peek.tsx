/** The last lines of a session in a popover (D15), without leaving the board. Reading starts no agent. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useEffect, useRef } from 'react';
import { useCardView } from '../../features/conversation/use-card-view.ts';
import { useClient } from '../../kit/client-context.tsx';
import { titleOf } from '../../kit/projects.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { Button } from '../../ui/Button.tsx';
import { placeBeside } from '../../ui/place-beside.ts';
import { peekLines } from './peek-lines.ts';

export interface PeekProps {
  row: SessionRow;
  beside: HTMLElement;
  onOpen: () => void;
  onClose: () => void;
}

export function Peek({ row, beside, onOpen, onClose }: PeekProps) {
  const channel = useChannel(useClient(), row.id);
  const popover = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = popover.current;
    if (!element) return;
    element.showPopover();
    placeBeside(element, beside.getBoundingClientRect());
    return () => {
      if (element.matches(':popover-open')) element.hidePopover();
    };
  }, [beside]);
  return (
    <div
      ref={popover}
      popover="auto"
      className="menu peek"
      role="dialog"
      aria-label={`Last lines of ${titleOf(row)}`}
      onToggle={(event) => event.newState === 'closed' && onClose()}
    >
      {channel ? <Lines channel={channel} /> : null}
      <div className="peek-foot">
        <Button look="primary" onClick={onOpen}>
          Open
        </Button>
      </div>
    </div>
  );
}

function Lines({ channel }: { channel: ConversationChannel }) {
  const { conversation, phase } = useCardView(channel);
  const lines = peekLines(conversation);
  if (lines.length === 0)
    return <p className="peek-none">{phase === 'ready' ? 'Nothing yet' : 'Loading…'}</p>;
  return (
    <div className="peek-lines">
      {lines.map(({ id, kind, text }) => (
        <p key={id} data-kind={kind}>
          {text}
        </p>
      ))}
    </div>
  );
}
