/** The Timeline card (T34–T36): a session's turns, commits and restores; compares two points, or forks from one. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { review } from '@tugdeck/protocol/areas/review';
import { useState } from 'react';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { ComparePoints } from './ComparePoints.tsx';
import { TimelineItem } from './TimelineItem.tsx';
import { timelineRows } from './timeline-rows.ts';
import './timeline.css';

/** Turns that are listed at first, and with each press of Earlier turns. */
const TURNS = 100;

export default function TimelineCard({ params: { session }, isVisible }: CardProps) {
  const channel = useChannel(useClient(), session ?? '');
  return (
    <fieldset className="pane timeline" aria-label="Timeline">
      {session === undefined || !channel ? (
        <p className="pane-empty">This session was removed</p>
      ) : (
        <Body session={session} channel={channel} isVisible={isVisible} />
      )}
    </fieldset>
  );
}

interface BodyProps {
  session: string;
  channel: ConversationChannel;
  isVisible: boolean;
}

function Body({ session, channel, isVisible }: BodyProps) {
  const [limit, setLimit] = useState(TURNS);
  const [changed, setChanged] = useState(0);
  const [fault, setFault] = useState<string>();
  // A hidden card keeps its rows and reads nothing.
  const about = isVisible ? { session } : undefined;
  const area = useArea(review, about, () => setChanged((count) => count + 1));
  const { value, fault: refused } = useReply(area.channel, 'timeline', { limit }, changed);
  const { conversation, hasOlder } = useReadable(channel.view);
  const rows = value ? timelineRows(conversation, value) : [];
  const shown = fault ?? refused ?? area.fault;
  const onFault = (error: unknown) => setFault(faultText(error));
  const older = () => {
    setLimit(limit + TURNS);
    if (hasOlder) channel.loadOlder().catch(onFault);
  };
  return (
    <>
      <header className="pane-head timeline-head">
        <ComparePoints session={session} rows={rows} />
      </header>
      {shown === undefined ? null : (
        <p className="pane-fault" role="alert">
          {shown}
        </p>
      )}
      {value && rows.length === 0 ? <p className="pane-empty">No turns yet</p> : null}
      {value ? null : <div className="pane-waiting" aria-busy="true" />}
      <div className="timeline-scroll">
        <ol className="timeline-list" aria-label="Turns and restores, newest first">
          {rows.map((row) => (
            <TimelineItem
              key={row.id}
              row={row}
              session={session}
              channel={channel}
              conversation={conversation}
              onFault={onFault}
            />
          ))}
        </ol>
        {value && value.more > 0 ? (
          <Button look="link" className="timeline-more" onClick={older}>
            Earlier turns
          </Button>
        ) : null}
      </div>
    </>
  );
}
