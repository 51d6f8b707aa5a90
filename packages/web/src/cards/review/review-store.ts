/**
 * State and actions of a Review card: the compared files, the open diffs, marks and comments. No React.
 * Reloads everything shown when the server reports a change.
 */
import type { AreaChannel } from '@tugdeck/client/areas';
import type { Client } from '@tugdeck/client/client';
import type { CallArguments, CallInput, CallName } from '@tugdeck/protocol/areas/area';
import { review } from '@tugdeck/protocol/areas/review';
import type { FileChange } from '@tugdeck/protocol/git/git-messages';
import type {
  ReviewComment,
  ReviewFile,
  ReviewScope,
  ReviewState,
} from '@tugdeck/protocol/review/review-messages';
import { cell } from '../../kit/cell.ts';
import { faultText } from '../../kit/deck-actions.ts';

export interface OpenReviewFile {
  readonly change?: FileChange | undefined;
  readonly fault?: string | undefined;
  readonly isWhole: boolean;
}

export interface ReviewView {
  readonly scope: ReviewScope;
  readonly state: ReviewState | undefined;
  readonly isLost: boolean;
  /** By path. */
  readonly open: ReadonlyMap<string, OpenReviewFile>;
  readonly branches: readonly string[];
  readonly fault: string | undefined;
  /** The last revert, until the next action. */
  readonly undo: { readonly id: string; readonly label: string } | undefined;
}

/** Number of files that are open at first. */
const OPEN_AT_FIRST = 6;

export class ReviewStore {
  readonly view = cell<ReviewView>({
    scope: { since: 'session' },
    state: undefined,
    isLost: false,
    open: new Map(),
    branches: [],
    fault: undefined,
    undo: undefined,
  });
  readonly #area: AreaChannel<typeof review>;
  #wanted = 0;
  #isFirst = true;

  constructor(client: Client, session: string) {
    this.#area = client.openArea(review, { session });
    this.#area.onEvent(() => void this.#read());
    this.#area.view.subscribe(() => this.#changed());
    this.#area.onOpen(() => this.#load());
    this.#changed();
    if (this.#area.view.get().opened > 0) this.#load();
  }

  close(): void {
    this.#area.close();
  }

  setScope(scope: ReviewScope): void {
    this.#isFirst = true;
    this.#set({ scope, state: undefined, open: new Map(), undo: undefined });
    // Opening reads it anyway.
    if (this.#area.view.get().opened > 0) void this.#read();
  }

  toggle(path: string): void {
    const open = new Map(this.view.get().open);
    if (open.delete(path)) this.#set({ open });
    else this.#openFiles([path]);
  }

  showWhole(path: string): void {
    this.#put(path, { isWhole: true });
    void this.#readFile(path);
  }

  setViewed(file: ReviewFile, isViewed: boolean): void {
    const { state, open } = this.view.get();
    const files = state?.files.map((one) => (one.path === file.path ? { ...one, viewed: isViewed } : one));
    if (state && files) this.#set({ state: { ...state, files } });
    if (isViewed && open.has(file.path)) this.toggle(file.path);
    void this.#note('viewed', { path: file.path, after: file.after, viewed: isViewed });
  }

  accept(path: string, hunk: string, isAccepted: boolean): void {
    void this.#note('accept', { path, hunk, accepted: isAccepted });
  }

  async revert(path: string, hunk?: string): Promise<void> {
    const { scope } = this.view.get();
    this.#set({ fault: undefined, undo: undefined });
    try {
      const { undo } = await this.#area.call('revert', { scope, path, hunk });
      this.#set({
        undo: { id: undo, label: hunk ? `Reverted a change in ${path}` : `Reverted ${path}` },
      });
    } catch (error) {
      this.fail(error);
    }
    await this.#read();
  }

  async takeBack(): Promise<void> {
    const { undo } = this.view.get();
    if (!undo) return;
    this.#set({ undo: undefined, fault: undefined });
    await this.#note('undo', { undo: undo.id });
  }

  comment(comment: CallInput<typeof review, 'comment.add'>['comment']): Promise<boolean> {
    return this.#note('comment.add', { comment });
  }

  editComment(comment: string, text: string): Promise<boolean> {
    return this.#note('comment.edit', { comment, text });
  }

  removeComment(comment: string): void {
    void this.#note('comment.remove', { comment });
  }

  sent(comments: readonly ReviewComment[]): Promise<boolean> {
    return this.#note('comment.sent', { comments: comments.map(({ id }) => id) });
  }

  answered(comment: string, answer: string): void {
    void this.#note('comment.answered', { comment, answer });
  }

  forgetFault(): void {
    this.#set({ fault: undefined });
  }

  fail(error: unknown): void {
    this.#set({ fault: faultText(error) });
  }

  async #note<K extends CallName<typeof review>>(
    name: K,
    ...input: CallArguments<typeof review, K>
  ): Promise<boolean> {
    try {
      await this.#area.call(name, ...input);
      await this.#read();
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  #changed(): void {
    const { isLost, fault } = this.#area.view.get();
    this.#set({ isLost });
    if (fault) this.fail(fault);
  }

  #load(): void {
    void this.#read();
    this.#area.call('branches').then(
      ({ branches }) => this.#set({ branches }),
      // Branches need git.
      () => this.#set({ branches: [] }),
    );
  }

  async #read(): Promise<void> {
    const wanted = ++this.#wanted;
    const { scope } = this.view.get();
    try {
      const state = await this.#area.call('state', { scope });
      if (wanted !== this.#wanted) return;
      const before = this.view.get().state;
      // A file that disappears briefly (reverted, then undone) is open again when it returns.
      const { open } = this.view.get();
      this.#set({ state });
      if (this.#isFirst) {
        this.#isFirst = false;
        const first = state.files
          .filter(({ viewed, by }) => !viewed && by !== 'others')
          .slice(0, OPEN_AT_FIRST);
        this.#openFiles(first.map(({ path }) => path));
        return;
      }
      const old = new Map(before?.files.map((file) => [file.path, file.after]));
      for (const { path, after } of state.files) {
        if (open.has(path) && old.get(path) !== after) void this.#readFile(path);
      }
    } catch (error) {
      if (wanted === this.#wanted) this.fail(error);
    }
  }

  #openFiles(paths: readonly string[]): void {
    const open = new Map(this.view.get().open);
    for (const path of paths) open.set(path, { isWhole: false });
    this.#set({ open });
    for (const path of paths) void this.#readFile(path);
  }

  async #readFile(path: string): Promise<void> {
    const { scope, open } = this.view.get();
    const isWhole = open.get(path)?.isWhole === true;
    try {
      const change = await this.#area.call('diff', { scope, path, whole: isWhole });
      if (this.view.get().scope === scope) this.#put(path, { change, fault: undefined });
    } catch (error) {
      this.#put(path, { fault: faultText(error) });
    }
  }

  #put(path: string, part: Partial<OpenReviewFile>): void {
    const open = new Map(this.view.get().open);
    const old = open.get(path);
    if (!old) return;
    open.set(path, { ...old, ...part });
    this.#set({ open });
  }

  #set(change: Partial<ReviewView>): void {
    this.view.set({ ...this.view.get(), ...change });
  }
}
