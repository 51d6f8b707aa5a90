import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { type RefObject, useEffect } from 'react';
import { holdsEntry, type Row } from '../../features/conversation/rows.ts';
import { useAnswered } from '../../features/requests/use-answer.ts';
import type { ScrollFollower } from './scroll-follower.ts';

/** Answering the request at the end continues to follow the end, so that the next one is seen (C11). */
export function useFollowAnswers(
  channel: ConversationChannel,
  follower: RefObject<ScrollFollower | null>,
  rows: readonly Row[],
): void {
  const answered = useAnswered(channel);
  const last = rows.at(-1);
  const isLast = answered !== undefined && last !== undefined && holdsEntry(last, answered);
  useEffect(() => {
    if (isLast) follower.current?.toEnd();
  }, [isLast, follower]);
}
