/**
 * The `review` feed (W4): answers a page's requests about one session's changes; pushes only that something changed.
 */
import {
  type ReviewAbout,
  type ReviewAsk,
  reviewAboutSchema,
  reviewAskSchema,
} from '@tugdeck/protocol/review/review-messages';
import type { FeedKind } from '../feeds/feed-kind.ts';
import { branchNames } from './branch-tree.ts';
import { revert, undoRevert } from './revert.ts';
import type { ReviewNotes } from './review-notes.ts';
import type { ReviewRegistry } from './review-registry.ts';
import type { SessionReview } from './session-review.ts';

export function reviewFeed(reviews: ReviewRegistry): FeedKind<ReviewAbout, ReviewAsk> {
  return {
    name: 'review',
    about: reviewAboutSchema,
    ask: reviewAskSchema,
    open({ session }, out) {
      const { review, release } = reviews.hold(session);
      const unsubscribe = review.subscribe(() => out.push({ changed: true }));
      return {
        ask: (ask) => answer(review, ask, reviews.options.now),
        close() {
          unsubscribe();
          release();
        },
      };
    },
  };
}

async function answer(review: SessionReview, ask: ReviewAsk, now: () => number): Promise<unknown> {
  switch (ask.type) {
    case 'state':
      return review.state(ask.scope);
    case 'diff':
      return review.diff(ask.scope, ask.path, ask.whole);
    case 'branches':
      return { branches: await branchNames(await review.shadow()) };
    case 'revert':
      return { undo: await revert(review, ask.scope, ask.path, ask.hunk) };
    case 'undo':
      return undoRevert(review, ask.undo);
    default: {
      const noted = note(review.notes, ask, now);
      review.publish();
      return noted;
    }
  }
}

type NoteAsk = Extract<ReviewAsk, { type: 'viewed' | 'accept' | `comment.${string}` }>;

/** Notes change no files; other pages of the review are notified. */
function note(notes: ReviewNotes, ask: NoteAsk, now: () => number): unknown {
  switch (ask.type) {
    case 'viewed':
      return notes.setViewed(ask.path, ask.after, ask.viewed);
    case 'accept':
      return notes.setAccepted(ask.path, ask.hunk, ask.accepted);
    case 'comment.add':
      return notes.addComment(ask.comment, now());
    case 'comment.edit':
      return notes.changeComments([ask.comment], (one) => ({ ...one, text: ask.text }));
    case 'comment.remove':
      return notes.changeComments([ask.comment], () => undefined);
    case 'comment.sent':
      return notes.changeComments(ask.comments, (one) => ({ ...one, sentAt: now() }));
    case 'comment.answered':
      return notes.changeComments([ask.comment], (one) => ({ ...one, answer: ask.answer }));
  }
}
