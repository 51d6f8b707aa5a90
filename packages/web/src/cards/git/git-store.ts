/**
 * State and actions of a Git card: its feed, the pushed status, the chosen file and its diff. No React; views read
 * the cell and call methods. An action's error is shown until the next action.
 */
import type { Client } from '@tugdeck/client/client';
import type { FeedChannel } from '@tugdeck/client/feeds';
import {
  type FileChange,
  fileChangeSchema,
  type GitAsk,
  type GitFile,
  type GitStatus,
  gitPushSchema,
  gitStatusSchema,
  type Side,
} from '@tugdeck/protocol/git/git-messages';
import { faultText } from '../../app/deck-actions.ts';
import { cell } from '../../ui/cell.ts';

export interface ChosenFile {
  readonly side: Side;
  readonly path: string;
}

export interface GitView {
  readonly status: GitStatus | undefined;
  readonly isLost: boolean;
  readonly chosen: ChosenFile | undefined;
  /** Diff of the chosen file; the old one stays while a newer one is read. */
  readonly change: FileChange | undefined;
  readonly changeFault: string | undefined;
  /** The action in progress. */
  readonly busy: string | undefined;
  readonly fault: string | undefined;
}

const NOTHING: GitView = {
  status: undefined,
  isLost: false,
  chosen: undefined,
  change: undefined,
  changeFault: undefined,
  busy: undefined,
  fault: undefined,
};

export const COMMITTING = 'Committing…';

export class GitStore {
  readonly view = cell<GitView>(NOTHING);
  readonly #feed: FeedChannel;
  readonly #end: (() => void)[];
  /** The action in progress. */
  readonly #under = new Set<Promise<boolean>>();
  #isCommitting = false;
  #wanted = 0;
  #isWhole = false;

  constructor(client: Client, project: string) {
    this.#feed = client.openFeed('git', { project });
    this.#end = [
      this.#feed.state.subscribe(() => this.#opened()),
      this.#feed.onPush((push) => {
        const parsed = gitPushSchema.safeParse(push);
        if (parsed.success) this.#take(parsed.data.status);
      }),
    ];
    this.#opened();
  }

  close(): void {
    for (const end of this.#end) end();
    this.#feed.close();
  }

  /** Resolves with the reply's value; throws errors. */
  request(request: GitAsk): Promise<unknown> {
    return this.#feed.request(request);
  }

  /** Changes the repository; shows an error. Resolves with whether it succeeded. */
  act(request: GitAsk, busy: string): Promise<boolean> {
    const done = this.#act(request, busy);
    this.#under.add(done);
    void done.then(() => this.#under.delete(done));
    return done;
  }

  /** Commits after the pending actions, and not at all if one fails: it was meant to be included. */
  async commit(message: string, amend: boolean): Promise<boolean> {
    if (this.#isCommitting) return false;
    this.#isCommitting = true;
    try {
      const before = await Promise.all(this.#under);
      return before.every(Boolean) && (await this.act({ type: 'commit', message, amend }, COMMITTING));
    } finally {
      this.#isCommitting = false;
    }
  }

  async #act(request: GitAsk, busy: string): Promise<boolean> {
    this.#set({ busy, fault: undefined });
    try {
      await this.#feed.request(request);
      return true;
    } catch (error) {
      this.#set({ fault: faultText(error) });
      return false;
    } finally {
      this.#set({ busy: undefined });
    }
  }

  fail(error: unknown): void {
    this.#set({ fault: faultText(error) });
  }

  forgetFault(): void {
    this.#set({ fault: undefined });
  }

  choose(chosen: ChosenFile | undefined): void {
    const old = this.view.get().chosen;
    if (old?.path === chosen?.path && old?.side === chosen?.side) return;
    this.#isWhole = false;
    this.#set({ chosen, change: undefined, changeFault: undefined });
    void this.#readChange();
  }

  showWhole(): void {
    this.#isWhole = true;
    void this.#readChange();
  }

  #opened(): void {
    const state = this.#feed.state.get();
    this.#set({ isLost: state === 'lost' });
    if (state instanceof Error) this.#set({ fault: faultText(state) });
    if (state !== 'open') return;
    this.#feed.request({ type: 'status' }).then(
      (value) => this.#take(gitStatusSchema.parse(value)),
      (error) => this.fail(error),
    );
  }

  #take(status: GitStatus): void {
    const { chosen } = this.view.get();
    this.#set({ status, chosen: chosen && stillThere(status, chosen) });
    void this.#readChange();
  }

  async #readChange(): Promise<void> {
    const { chosen } = this.view.get();
    const wanted = ++this.#wanted;
    if (!chosen) return;
    try {
      const value = await this.#feed.request({ type: 'diff', ...chosen, whole: this.#isWhole });
      if (wanted === this.#wanted) {
        this.#set({ change: fileChangeSchema.parse(value), changeFault: undefined });
      }
    } catch (error) {
      if (wanted === this.#wanted) this.#set({ change: undefined, changeFault: faultText(error) });
    }
  }

  #set(change: Partial<GitView>): void {
    this.view.set({ ...this.view.get(), ...change });
  }
}

/** The same file on its current side, or undefined if it is no longer listed. */
function stillThere(status: GitStatus, chosen: ChosenFile): ChosenFile | undefined {
  if (status.kind !== 'repository') return undefined;
  const file = status.files.find(({ path }) => path === chosen.path);
  if (!file) return undefined;
  if (isOnSide(file, chosen.side)) return chosen;
  const side: Side = chosen.side === 'staged' ? 'unstaged' : 'staged';
  return isOnSide(file, side) ? { ...chosen, side } : undefined;
}

export function isOnSide(file: GitFile, side: Side): boolean {
  if (file.conflict !== undefined) return side === 'unstaged';
  return side === 'staged' ? file.index !== '.' : file.work !== '.';
}
