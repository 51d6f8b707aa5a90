/**
 * State and actions of a Review card: its feed, the compared files, the open diffs, marks and comments. No React.
 * Reloads everything shown when the server reports a change.
 */
import type { Client } from '@tugdeck/client/client';
import type { FeedChannel } from '@tugdeck/client/feeds';
import { type FileChange, fileChangeSchema } from '@tugdeck/protocol/git/git-messages';
import {
  type ReviewAsk,
  type ReviewComment,
  type ReviewFile,
  type ReviewScope,
  type ReviewState,
  reviewPushSchema,
  reviewStateSchema,
  reviewUndoSchema,
} from '@tugdeck/protocol/review/review-messages';
import { faultText } from '../../app/deck-actions.ts';
import { cell } from '../../ui/cell.ts';

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
  readonly undo: { readonly id: string; readonly words: string } | undefined;
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
  readonly #feed: FeedChannel;
  readonly #end: (() => void)[];
  #wanted = 0;
  #isFirst = true;

  constructor(client: Client, session: string) {
    this.#feed = client.openFeed('review', { session });
    this.#end = [
      this.#feed.state.subscribe(() => this.#opened()),
      this.#feed.onPush((push) => {
        if (reviewPushSchema.safeParse(push).success) void this.#read();
      }),
    ];
    this.#opened();
  }

  close(): void {
    for (const end of this.#end) end();
    this.#feed.close();
  }

  setScope(scope: ReviewScope): void {
    this.#isFirst = true;
    this.#set({ scope, state: undefined, open: new Map(), undo: undefined });
    void this.#read();
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
    void this.#note({ type: 'viewed', path: file.path, after: file.after, viewed: isViewed });
  }

  accept(path: string, hunk: string, isAccepted: boolean): void {
    void this.#note({ type: 'accept', path, hunk, accepted: isAccepted });
  }

  async revert(path: string, hunk?: string): Promise<void> {
    const { scope } = this.view.get();
    this.#set({ fault: undefined, undo: undefined });
    try {
      const value = await this.#feed.request({ type: 'revert', scope, path, ...(hunk ? { hunk } : {}) });
      const { undo } = reviewUndoSchema.parse(value);
      this.#set({
        undo: { id: undo, words: hunk ? `Reverted a change in ${path}` : `Reverted ${path}` },
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
    await this.#note({ type: 'undo', undo: undo.id });
  }

  comment(comment: Extract<ReviewAsk, { type: 'comment.add' }>['comment']): Promise<boolean> {
    return this.#note({ type: 'comment.add', comment });
  }

  editComment(comment: string, text: string): Promise<boolean> {
    return this.#note({ type: 'comment.edit', comment, text });
  }

  removeComment(comment: string): void {
    void this.#note({ type: 'comment.remove', comment });
  }

  sent(comments: readonly ReviewComment[]): Promise<boolean> {
    return this.#note({ type: 'comment.sent', comments: comments.map(({ id }) => id) });
  }

  answered(comment: string, answer: string): void {
    void this.#note({ type: 'comment.answered', comment, answer });
  }

  forgetFault(): void {
    this.#set({ fault: undefined });
  }

  fail(error: unknown): void {
    this.#set({ fault: faultText(error) });
  }

  async #note(request: ReviewAsk): Promise<boolean> {
    try {
      await this.#feed.request(request);
      await this.#read();
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  #opened(): void {
    const state = this.#feed.state.get();
    this.#set({ isLost: state === 'lost' });
    if (state instanceof Error) this.fail(state);
    if (state !== 'open') return;
    void this.#read();
    this.#feed.request({ type: 'branches' }).then(
      (value) => this.#set({ branches: branchNames(value) }),
      // Branches need git.
      () => this.#set({ branches: [] }),
    );
  }

  async #read(): Promise<void> {
    const wanted = ++this.#wanted;
    const { scope } = this.view.get();
    try {
      const state = reviewStateSchema.parse(await this.#feed.request({ type: 'state', scope }));
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
      const change = fileChangeSchema.parse(
        await this.#feed.request({ type: 'diff', scope, path, whole: isWhole }),
      );
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

function branchNames(value: unknown): string[] {
  const { branches } = (value ?? {}) as { branches?: unknown };
  return Array.isArray(branches) ? branches.filter((name): name is string => typeof name === 'string') : [];
}
