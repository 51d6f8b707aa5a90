import type { ChannelView, ConversationChannel } from '@tugdeck/client/conversation-channel';
import { useCallback, useRef, useSyncExternalStore } from 'react';

/** The view without live text: deltas do not change `v`, so they cause no render. */
export function useCardView(channel: ConversationChannel): ChannelView {
  const held = useRef<ChannelView>(undefined);
  const subscribe = useCallback((listener: () => void) => channel.view.subscribe(listener), [channel]);
  const read = () => {
    const view = channel.view.get();
    if (!held.current || !isSame(held.current, view)) held.current = view;
    return held.current;
  };
  return useSyncExternalStore(subscribe, read);
}

function isSame(a: ChannelView, b: ChannelView): boolean {
  return (
    a.conversation.v === b.conversation.v &&
    a.conversation.from === b.conversation.from &&
    a.order === b.order &&
    a.phase === b.phase &&
    a.hasOlder === b.hasOlder &&
    a.pending === b.pending
  );
}
