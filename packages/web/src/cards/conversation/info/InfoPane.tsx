/** The Info tab of the session panel (D21): usage, agent, servers and settings of a session. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { useMemo } from 'react';
import { CardProvider } from '../../../features/conversation/card-context.tsx';
import { createCard } from '../../../features/conversation/create-card.ts';
import { useCardView } from '../../../features/conversation/use-card-view.ts';
import type { CardProps } from '../../../kit/card-kinds.ts';
import { useClient } from '../../../kit/client-context.tsx';
import { useChannel } from '../../../kit/use-channel.ts';
import { contextPercent } from '../composer/context-percent.ts';
import { UsageDetail } from '../composer/UsageDetail.tsx';
import { SessionDetails } from './SessionInfo.tsx';

export default function InfoPane({ params: { session = '' } }: CardProps) {
  const channel = useChannel(useClient(), session);
  return (
    <fieldset className="pane info-pane" aria-label="Session info">
      {channel ? <Details channel={channel} /> : null}
    </fieldset>
  );
}

function Details({ channel }: { channel: ConversationChannel }) {
  const { conversation } = useCardView(channel);
  const card = useMemo(() => createCard(channel), [channel]);
  const { usage, facts } = conversation;
  return (
    <CardProvider value={card}>
      <div className="info-scroll">
        <section className="usage" aria-label="Usage">
          <UsageDetail usage={usage} percent={contextPercent(usage)} limits={facts.limits ?? []} />
        </section>
        <SessionDetails conversation={conversation} />
      </div>
    </CardProvider>
  );
}
