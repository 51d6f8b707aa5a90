/**
 * One session's review (W4): compares the trees of its turns with the current files. Shared by all pages that show
 * it; watches the project while open. Never touches the project's own repository.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '@tugdeck/local/log';
import type { FileChange } from '@tugdeck/protocol/git/git-messages';
import type { ReviewScope, ReviewState } from '@tugdeck/protocol/review/review-messages';
import type { Timeline } from '@tugdeck/protocol/review/timeline';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { inPlace } from '@tugdeck/trees/carry/other-sessions';
import type { ListedFile } from '@tugdeck/trees/changed-files';
import { changedPaths, compareFile, compareTrees, hasTree } from '@tugdeck/trees/compare-trees';
import { type FilePatch, shownChange } from '@tugdeck/trees/patch';
import { recordTree } from '@tugdeck/trees/record-tree';
import type { Shadow } from '@tugdeck/trees/shadow';
import { readTurnSpans, type TurnSpan } from '@tugdeck/trees/turn-bounds';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { type TreeWatch, watchName } from '../watching/tree-watch.ts';
import { watchWorktree } from '../watching/worktree-watch.ts';
import { attribute } from './attribution.ts';
import { branchTree } from './branch-tree.ts';
import { ReviewNotes } from './review-notes.ts';
import { timelineOf } from './timeline.ts';

export interface SessionReviewOptions {
  readonly session: string;
  readonly project: string;
  /** The folder of all shadow repositories. */
  readonly home: string;
  readonly files: { readonly root: string; readonly trees: string; readonly review: string };
  /** Tree records of the project's other sessions. */
  readonly others: () => readonly string[];
  /** For one of several attempts: the files of another one, or those that all started from (B39). */
  readonly attemptTree?: ((other: string | undefined, shadow: Shadow) => Promise<string>) | undefined;
  readonly log: Log;
}

export interface Compared {
  readonly shadow: Shadow;
  readonly before: string;
  readonly after: string;
  readonly files: readonly ListedFile[];
}

const MAX_FILES = 2_000;
const PUBLISH_DELAY_MS = 120;

export class SessionReview {
  readonly notes: ReviewNotes;
  readonly options: SessionReviewOptions;
  readonly #listeners = new Set<() => void>();
  readonly #watches: Pick<TreeWatch, 'close'>[] = [];
  readonly #between = new Map<string, Promise<readonly string[]>>();
  #shadow: Promise<Shadow> | undefined;
  #now: Promise<{ tree: string; left: number }> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SessionReviewOptions) {
    this.options = options;
    this.notes = new ReviewNotes(options.files.review);
    const { project, files, log } = options;
    this.#watches.push(watchWorktree({ directory: project, log, onEvents: () => this.changed() }));
    this.#watches.push(watchName(files.root, 'trees.jsonl', () => this.changed()));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Invalidates the recorded current tree and notifies listeners. */
  changed(): void {
    this.#now = undefined;
    this.publish();
  }

  /** Notifies listeners once for changes in quick succession. */
  publish(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const listener of this.#listeners) listener();
    }, PUBLISH_DELAY_MS);
  }

  async state(scope: ReviewScope): Promise<ReviewState> {
    const spans = await readTurnSpans(this.options.files.trees);
    const { accepted, comments, viewed } = this.notes.notes;
    const base = {
      scope,
      turns: spans.map(turnOf),
      accepted,
      comments,
    };
    const nothing = { files: [], more: 0, left: 0 };
    let compared: Compared;
    try {
      compared = await this.compare(scope, spans);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return { ...base, ...nothing, missing: error.message };
    }
    const { left } = await this.#current();
    const by =
      scope.since !== 'session' && scope.since !== 'turn'
        ? undefined
        : await this.#attribution(scope, spans, compared);
    const files = compared.files.slice(0, MAX_FILES).map(({ before: _before, ...file }) => {
      const who = by?.(file.path);
      return { ...file, viewed: viewed[file.path] === file.after, ...(who ? { by: who } : {}) };
    });
    return { ...base, files, more: compared.files.length - files.length, left };
  }

  async diff(scope: ReviewScope, path: string, isWhole: boolean | undefined): Promise<FileChange> {
    const compared = await this.compare(scope);
    const { file, patch } = await this.patchOf(compared, path);
    return shownChange(patch, { path, oldPath: file.oldPath, isWhole });
  }

  async patchOf(compared: Compared, path: string): Promise<{ file: ListedFile; patch: FilePatch }> {
    const file = compared.files.find((one) => one.path === path);
    if (!file) throw new CodedError('GIT_CHANGED');
    const patch = await compareFile(compared.shadow, [compared.before, compared.after], file);
    return { file, patch };
  }

  async compare(scope: ReviewScope, known?: readonly TurnSpan[]): Promise<Compared> {
    const spans = known ?? (await readTurnSpans(this.options.files.trees));
    const shadow = await this.shadow();
    const before = await this.#base(shadow, scope, spans);
    const after =
      scope.since === 'between'
        ? await this.#startOf(shadow, scope.until, spans)
        : (await this.#current()).tree;
    return { shadow, before, after, files: await compareTrees(shadow, before, after) };
  }

  async timeline(limit: number): Promise<Timeline> {
    const shadow = await this.shadow();
    await shadow.open();
    return timelineOf(shadow, await readTurnSpans(this.options.files.trees), limit);
  }

  /** The tree of the files since their last change. */
  async latestTree(): Promise<string> {
    return (await this.#current()).tree;
  }

  /** The tree of the current files, recorded now. */
  async currentTree(): Promise<string> {
    this.#now = undefined;
    return (await this.#current()).tree;
  }

  /** Records the current files again, because they are about to be changed. */
  async compareNow(scope: ReviewScope): Promise<Compared> {
    this.#now = undefined;
    return this.compare(scope);
  }

  shadow(): Promise<Shadow> {
    this.#shadow ??= openShadow({ home: this.options.home, project: this.options.project });
    this.#shadow.catch(() => {
      this.#shadow = undefined;
    });
    return this.#shadow;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watch of this.#watches.splice(0)) watch.close();
    this.#listeners.clear();
  }

  newId(): string {
    return randomUUID();
  }

  #current(): Promise<{ tree: string; left: number }> {
    this.#now ??= this.shadow().then((shadow) =>
      recordTree({ shadow, writer: `now-${this.options.session}` }),
    );
    this.#now.catch(() => {
      this.#now = undefined;
    });
    return this.#now;
  }

  async #base(shadow: Shadow, scope: ReviewScope, spans: readonly TurnSpan[]): Promise<string> {
    if (scope.since === 'branch') return branchTree(shadow, scope.branch);
    if (scope.since === 'between') return this.#startOf(shadow, scope.turn, spans);
    if (scope.since === 'attempt') {
      const { attemptTree } = this.options;
      if (!attemptTree) throw new CodedError('REVIEW_NO_TREE');
      return this.#available(shadow, await attemptTree(scope.other, shadow));
    }
    const inScope = scopeSpans(scope, spans);
    if (inScope.length === 0) throw new CodedError('REVIEW_NO_TREE', 'This session has no turns yet.');
    const found = inScope.find(({ start }) => start?.tree !== undefined)?.start?.tree;
    if (found === undefined) {
      const why = inScope[0]?.start?.skipped;
      throw new CodedError(
        'REVIEW_NO_TREE',
        why ? `The project's files were not recorded: ${why}` : undefined,
      );
    }
    return this.#available(shadow, found);
  }

  /** The files at the start of a turn. */
  #startOf(shadow: Shadow, turn: string, spans: readonly TurnSpan[]): Promise<string> {
    const tree = spans.find((span) => span.turn === turn)?.start?.tree;
    if (tree === undefined) throw new CodedError('REVIEW_NO_TREE');
    return this.#available(shadow, tree);
  }

  async #available(shadow: Shadow, tree: string): Promise<string> {
    await shadow.open();
    if (!(await hasTree(shadow, tree))) {
      throw new CodedError('REVIEW_NO_TREE', 'The files recorded back then are no longer available.');
    }
    return tree;
  }

  async #attribution(scope: ReviewScope, spans: readonly TurnSpan[], { shadow, after }: Compared) {
    const others: TurnSpan[] = [];
    for (const file of this.options.others()) others.push(...(await readTurnSpans(file)));
    return attribute({
      own: scopeSpans(scope, spans),
      others: inPlace(others, shadow.place),
      now: after,
      between: (from, to) => this.#pathsBetween(shadow, from, to),
    });
  }

  /** Trees are immutable, so comparisons are cached. */
  #pathsBetween(shadow: Shadow, before: string, after: string): Promise<readonly string[]> {
    const key = `${before} ${after}`;
    const known = this.#between.get(key);
    if (known) return known;
    const paths = changedPaths(shadow, before, after).catch((error: unknown) => {
      // If a tree is gone, its changes are attributed to the session.
      if (!(error instanceof CodedError)) throw error;
      return [];
    });
    if (this.#between.size > 2_000) this.#between.clear();
    this.#between.set(key, paths);
    return paths;
  }
}

function scopeSpans(scope: ReviewScope, spans: readonly TurnSpan[]): readonly TurnSpan[] {
  if (scope.since !== 'turn') return spans;
  const from = spans.findIndex(({ turn }) => turn === scope.turn);
  return from === -1 ? [] : spans.slice(from);
}

function turnOf({ turn, start, end }: TurnSpan) {
  const skipped = start?.skipped;
  return {
    turn,
    at: start?.at ?? end?.at ?? 0,
    ...(end ? { endedAt: end.at } : {}),
    ...(skipped === undefined ? {} : { skipped }),
  };
}
