/** Open reviews: one per session, shared by all pages, closed with the last. */
import { realpathSync } from 'node:fs';
import { type DataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { SessionReview } from './session-review.ts';

export interface ReviewRegistryOptions {
  readonly data: DataDirectory;
  /** The project directory of a session; throws a coded error for an unknown one. */
  readonly directoryOf: (session: string) => string;
  /** All sessions of the same project. */
  readonly siblings: (session: string) => readonly string[];
  readonly log: Log;
  readonly now: () => number;
}

export class ReviewRegistry {
  readonly options: ReviewRegistryOptions;
  readonly #held = new Map<string, { readonly review: SessionReview; users: number }>();

  constructor(options: ReviewRegistryOptions) {
    this.options = options;
  }

  hold(session: string): { review: SessionReview; release: () => void } {
    const held = this.#held.get(session) ?? { review: this.#open(session), users: 0 };
    this.#held.set(session, held);
    held.users += 1;
    let isReleased = false;
    return {
      review: held.review,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        held.users -= 1;
        if (held.users > 0) return;
        held.review.close();
        this.#held.delete(session);
      },
    };
  }

  close(): void {
    for (const { review } of this.#held.values()) review.close();
    this.#held.clear();
  }

  #open(session: string): SessionReview {
    const { data, directoryOf, siblings, log } = this.options;
    const project = resolved(directoryOf(session));
    const files = data.session(session);
    makePrivate(files.root);
    return new SessionReview({
      session,
      project,
      home: data.trees,
      files,
      others: () =>
        siblings(session)
          .filter((one) => one !== session)
          .map((one) => data.session(one).trees),
      log,
    });
  }
}

function resolved(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    throw new CodedError('PROJECT_PATH_INVALID');
  }
}
