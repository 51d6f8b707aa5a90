/** The `review` feed (W4): asks of a page about one session's changes; pushes only that something changed. */
import {
  type ReviewAbout,
  type ReviewAsk,
  reviewAboutSchema,
  reviewAskSchema,
} from '@tugdeck/protocol/review/review-messages';
import type { FeedKind } from '../feeds/feed-kind.ts';
import { branchNames } from './branch-tree.ts';
import { revert, undoRevert } from './revert.ts';
import type { ReviewDesk } from './review-desk.ts';
import type { ReviewNotes } from './review-notes.ts';
import type { ReviewRooms } from './review-rooms.ts';

export function reviewFeed(rooms: ReviewRooms): FeedKind<ReviewAbout, ReviewAsk> {
  return {
    name: 'review',
    about: reviewAboutSchema,
    ask: reviewAskSchema,
    open({ session }, out) {
      const { desk, release } = rooms.hold(session);
      const unsubscribe = desk.subscribe(() => out.push({ changed: true }));
      return {
        ask: (ask) => answer(desk, ask, rooms.options.now),
        close() {
          unsubscribe();
          release();
        },
      };
    },
  };
}

async function answer(desk: ReviewDesk, ask: ReviewAsk, now: () => number): Promise<unknown> {
  switch (ask.type) {
    case 'state':
      return desk.state(ask.scope);
    case 'diff':
      return desk.diff(ask.scope, ask.path, ask.whole);
    case 'branches':
      return { branches: await branchNames(await desk.shadow()) };
    case 'revert':
      return { undo: await revert(desk, ask.scope, ask.path, ask.hunk) };
    case 'undo':
      return undoRevert(desk, ask.undo);
    default: {
      const told = note(desk.notes, ask, now);
      desk.tell();
      return told;
    }
  }
}

type NoteAsk = Extract<ReviewAsk, { type: 'viewed' | 'accept' | `comment.${string}` }>;

/** What is only written down; other pages of the same review are told. */
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
