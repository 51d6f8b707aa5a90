/** Open reviews: one per session, shared by all pages, closed with the last. */
import { realpathSync } from 'node:fs';
import { type DataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { SharedValues } from '@tugdeck/protocol/shared-values';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Shadow } from '@tugdeck/trees/shadow';
import { SessionReview } from './session-review.ts';

export interface ReviewRegistryOptions {
  readonly data: DataDirectory;
  /** The project directory of a session; throws a coded error for an unknown one. */
  readonly directoryOf: (session: string) => string;
  /** All sessions of the same project. */
  readonly siblings: (session: string) => readonly string[];
  /** The files to compare an attempt with. */
  readonly attemptTree?: (session: string, other: string | undefined, shadow: Shadow) => Promise<string>;
  readonly log: Log;
  readonly now: () => number;
}

export class ReviewRegistry {
  readonly options: ReviewRegistryOptions;
  readonly #reviews = new SharedValues<string, SessionReview>((review) => review.close());

  constructor(options: ReviewRegistryOptions) {
    this.options = options;
  }

  hold(session: string): { readonly value: SessionReview; readonly release: () => void } {
    return this.#reviews.hold(session, () => this.#open(session));
  }

  close(): void {
    this.#reviews.closeAll();
  }

  #open(session: string): SessionReview {
    const { data, directoryOf, siblings, attemptTree, log } = this.options;
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
      attemptTree: attemptTree && ((other, shadow) => attemptTree(session, other, shadow)),
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
