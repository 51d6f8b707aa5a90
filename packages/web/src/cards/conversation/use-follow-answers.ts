import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { type RefObject, useEffect } from 'react';
import { holdsEntry, type Row } from '../../features/conversation/rows.ts';
import { useAnswered } from '../../features/requests/use-answer.ts';
import { useSelected } from '../../kit/use-readable.ts';
import type { ScrollFollower } from './scroll-follower.ts';

/**
 * Answering a request at the end continues to follow the end, so that the next one is seen (C11). Requests that
 * were made at the same time are all at the end.
 */
export function useFollowAnswers(
  channel: ConversationChannel,
  follower: RefObject<ScrollFollower | null>,
  rows: readonly Row[],
): void {
  const answered = useAnswered(channel);
  const isEnd = useSelected(channel.view, ({ conversation }) => {
    const open = answered === undefined ? [] : pendingRequests(conversation).map(({ id }) => id);
    return answered !== undefined && isAtEnd(rows, answered, open);
  });
  useEffect(() => {
    if (isEnd) follower.current?.toEnd();
  }, [isEnd, follower]);
}

/** Whether only open requests follow the answered one. */
export function isAtEnd(rows: readonly Row[], answered: string, open: readonly string[]): boolean {
  const at = rows.findLastIndex((row) => holdsEntry(row, answered));
  return at >= 0 && rows.slice(at + 1).every((row) => open.some((id) => holdsEntry(row, id)));
}
