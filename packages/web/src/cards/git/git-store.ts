/**
 * State and actions of a Git card: its area with the status, the chosen file and its diff. No React; views read
 * the cell and call methods. An action's error is shown until the next action.
 */
import type { AreaChannel } from '@tugdeck/client/areas';
import type { Client } from '@tugdeck/client/client';
import type { CallArguments, CallName } from '@tugdeck/protocol/areas/area';
import { git } from '@tugdeck/protocol/areas/git';
import type { FileChange, GitFile, GitStatus, Side } from '@tugdeck/protocol/git/git-messages';
import { cell } from '../../kit/cell.ts';
import { faultText } from '../../kit/deck-actions.ts';

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
  /** What to type in a terminal, where git can ask for credentials (B51). */
  readonly command: string | undefined;
}

const NOTHING: GitView = {
  status: undefined,
  isLost: false,
  chosen: undefined,
  change: undefined,
  changeFault: undefined,
  busy: undefined,
  fault: undefined,
  command: undefined,
};

export const COMMITTING = 'Committing…';
export const FETCHING = 'Fetching…';
export const PULLING = 'Pulling…';
const COMMANDS: Readonly<Record<string, string>> = {
  [FETCHING]: 'git fetch',
  [PULLING]: 'git pull --ff-only',
};

export class GitStore {
  readonly view = cell<GitView>(NOTHING);
  readonly area: AreaChannel<typeof git>;
  readonly project: string;
  /** The action in progress. */
  readonly #under = new Set<Promise<boolean>>();
  /** Why the area could not be opened or read, shown once. */
  #fault: Error | undefined;
  #isCommitting = false;
  #wanted = 0;
  #isWhole = false;

  constructor(client: Client, project: string) {
    this.project = project;
    this.area = client.openArea(git, { project });
    this.area.view.subscribe(() => this.#changed());
    this.#changed();
  }

  close(): void {
    this.area.close();
  }

  /** Changes the repository; shows an error. Resolves with whether it succeeded. */
  act<K extends CallName<typeof git>>(
    busy: string,
    name: K,
    ...input: CallArguments<typeof git, K>
  ): Promise<boolean> {
    const done = this.#act(busy, () => this.area.call(name, ...input));
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
      return before.every(Boolean) && (await this.act(COMMITTING, 'commit', { message, amend }));
    } finally {
      this.#isCommitting = false;
    }
  }

  async #act(busy: string, call: () => Promise<unknown>): Promise<boolean> {
    this.#set({ busy, fault: undefined, command: undefined });
    try {
      await call();
      return true;
    } catch (error) {
      const needsUser = error instanceof Error && 'code' in error && error.code === 'GIT_CREDENTIALS';
      this.#set({ fault: faultText(error), command: needsUser ? COMMANDS[busy] : undefined });
      return false;
    } finally {
      this.#set({ busy: undefined });
    }
  }

  fail(error: unknown): void {
    this.#set({ fault: faultText(error) });
  }

  forgetFault(): void {
    this.#set({ fault: undefined, command: undefined });
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

  #changed(): void {
    const { state, isLost, fault } = this.area.view.get();
    this.#set({ isLost });
    if (fault && fault !== this.#fault) this.fail(fault);
    this.#fault = fault;
    if (!state || state === this.view.get().status) return;
    const { chosen } = this.view.get();
    this.#set({ status: state, chosen: chosen && stillThere(state, chosen) });
    void this.#readChange();
  }

  async #readChange(): Promise<void> {
    const { chosen } = this.view.get();
    const wanted = ++this.#wanted;
    if (!chosen) return;
    try {
      const change = await this.area.call('diff', { ...chosen, whole: this.#isWhole });
      if (wanted === this.#wanted) this.#set({ change, changeFault: undefined });
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
