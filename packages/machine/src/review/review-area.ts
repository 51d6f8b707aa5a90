/** Serves the review area (W4): one session's changes. Emits only that something changed. */
import { review as reviewArea } from '@tugdeck/protocol/areas/review';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import { branchNames } from './branch-tree.ts';
import { revert, undoRevert } from './revert.ts';
import type { ReviewRegistry } from './review-registry.ts';

export function serveReview(reviews: ReviewRegistry): ServedArea {
  const { now } = reviews.options;
  return serveArea(reviewArea, ({ session }, out) => {
    const { value: review, release } = reviews.hold(session);
    const { notes } = review;
    const unsubscribe = review.subscribe(() => out.emit({ changed: true }));
    /** Notes change no files; other pages of the review are notified. */
    const note =
      <Input, Output>(write: (input: Input) => Output) =>
      (input: Input) => {
        const written = write(input);
        review.publish();
        return written;
      };
    return {
      calls: {
        state: ({ scope }) => review.state(scope),
        diff: ({ scope, path, whole }) => review.diff(scope, path, whole),
        timeline: ({ limit }) => review.timeline(limit),
        branches: async () => ({ branches: await branchNames(await review.shadow()) }),
        revert: async ({ scope, path, hunk }) => ({ undo: await revert(review, scope, path, hunk) }),
        undo: ({ undo }) => undoRevert(review, undo),
        viewed: note(({ path, after, viewed }) => notes.setViewed(path, after, viewed)),
        accept: note(({ path, hunk, accepted }) => notes.setAccepted(path, hunk, accepted)),
        'comment.add': note(({ comment }) => notes.addComment(comment, now())),
        'comment.edit': note(({ comment, text }) =>
          notes.changeComments([comment], (one) => ({ ...one, text })),
        ),
        'comment.remove': note(({ comment }) => notes.changeComments([comment], () => undefined)),
        'comment.sent': note(({ comments }) =>
          notes.changeComments(comments, (one) => ({ ...one, sentAt: now() })),
        ),
        'comment.answered': note(({ comment, answer }) =>
          notes.changeComments([comment], (one) => ({ ...one, answer })),
        ),
      },
      close() {
        unsubscribe();
        release();
      },
    };
  });
}
