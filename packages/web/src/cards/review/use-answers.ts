/** Finds the agent's answers to sent comments in its later messages, and stores them with the comments. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { answersIn } from '@tugdeck/protocol/review/comment-message';
import type { ReviewComment } from '@tugdeck/protocol/review/review-messages';
import { useEffect } from 'react';
import type { ReviewStore } from './review-store.ts';

export function useAnswers(
  store: ReviewStore,
  channel: ConversationChannel | undefined,
  comments: readonly ReviewComment[] | undefined,
): void {
  useEffect(() => {
    const waiting = comments?.filter(({ sentAt }) => sentAt !== undefined) ?? [];
    if (!channel || waiting.length === 0) return;
    const known = new Map(waiting.map(({ id, answer }) => [id, answer]));
    const update = () => {
      for (const [id, answer] of answersOf(channel.view.get().conversation, waiting)) {
        if (known.get(id) === answer) continue;
        known.set(id, answer);
        store.answered(id, answer);
      }
    };
    update();
    return channel.view.subscribe(update);
  }, [store, channel, comments]);
}

/** Complete texts only: a streaming one has half an answer. */
export function answersOf(
  { entries }: Pick<Conversation, 'entries'>,
  comments: readonly ReviewComment[],
): ReadonlyMap<string, string> {
  const since = Math.min(...comments.map(({ at }) => at));
  const ids = new Set(comments.map(({ id }) => id));
  const found = new Map<string, string>();
  for (const entry of entriesFrom(entries)) {
    if (entry.kind !== 'text' || entry.status !== 'complete' || (entry.endedAt ?? entry.at) < since) continue;
    for (const [id, answer] of answersIn(entry.text, ids)) if (answer !== '') found.set(id, answer);
  }
  return found;
}
