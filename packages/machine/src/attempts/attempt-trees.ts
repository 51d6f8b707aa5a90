/** The files of attempts, as trees of the repository that all workspaces share (B39): uncommitted work counts. */
import type { AttemptFigures, ComparedAttempts } from '@tugdeck/protocol/attempts/attempts';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AttemptTable, StoredAttempt, StoredAttempts } from '@tugdeck/store/attempt-table';
import { changedPaths } from '@tugdeck/trees/compare-trees';
import type { Shadow } from '@tugdeck/trees/shadow';
import { countChanges } from '@tugdeck/trees/tree-counts';
import { keepTree } from '@tugdeck/trees/tree-refs';
import { commitTree } from '../review/branch-tree.ts';
import type { ReviewRegistry } from '../review/review-registry.ts';
import { attemptOf } from './attempts-row.ts';

const MAX_FILES = 2_000;

interface Files {
  readonly member: StoredAttempt;
  readonly shadow: Shadow | undefined;
  readonly tree: string | undefined;
}

export class AttemptTrees {
  readonly #table: Pick<AttemptTable, 'list'>;
  readonly #reviews: Pick<ReviewRegistry, 'hold'>;

  constructor(table: Pick<AttemptTable, 'list'>, reviews: Pick<ReviewRegistry, 'hold'>) {
    this.#table = table;
    this.#reviews = reviews;
  }

  /** For the review of an attempt: the commit that all started from, or another one's files. */
  async treeFor(session: string, other: string | undefined, shadow: Shadow): Promise<string> {
    const found = attemptOf(this.#table, session);
    if (!found) throw new CodedError('REVIEW_NO_TREE', 'This session is not one of several attempts.');
    if (other === undefined) return commitTree(shadow, found.group.baseCommit);
    const member = found.group.members.find((one) => one.session === other);
    const tree = member && (await this.#filesOf(member)).tree;
    if (tree === undefined)
      throw new CodedError('REVIEW_NO_TREE', 'The files of that attempt are not available.');
    return tree;
  }

  /** Records an attempt's files and keeps them; undefined if they can't be read. */
  async keep(session: string): Promise<string | undefined> {
    const found = attemptOf(this.#table, session);
    if (!found) return undefined;
    const { shadow, tree } = await this.#filesOf(found.member, true);
    if (shadow && tree !== undefined) await keepTree(shadow, session, tree);
    return tree;
  }

  async compare(
    { members, baseCommit }: StoredAttempts,
    isChecking: (session: string) => boolean,
  ): Promise<Omit<ComparedAttempts, 'check'>> {
    const all: Files[] = [];
    for (const member of members) all.push(await this.#filesOf(member));
    const shadow = all.find((one) => one.shadow)?.shadow;
    const base = shadow && (await commitTree(shadow, baseCommit).catch(noTree));
    const by = new Map<string, string[]>();
    const attempts: AttemptFigures[] = [];
    for (const { member, tree } of all) {
      const { session } = member;
      const pair = base !== undefined && tree !== undefined ? { before: base, after: tree } : undefined;
      const [counts] = shadow && pair ? await countChanges(shadow, [pair]) : [];
      const paths = shadow && pair && counts ? await changedPaths(shadow, pair.before, pair.after) : [];
      for (const path of paths) by.set(path, [...(by.get(path) ?? []), session]);
      const check = checkOf(member, tree, isChecking(session));
      attempts.push({
        session,
        ...(counts ?? {}),
        ...(tree === undefined ? {} : { tree }),
        ...(check ? { check } : {}),
      });
    }
    const files = [...by]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, sessions]) => ({ path, by: sessions }));
    return { attempts, files: files.slice(0, MAX_FILES), more: Math.max(0, files.length - MAX_FILES) };
  }

  /** Calls `listener` when files of an attempt change. Returns a function that ends this. */
  watch({ members }: StoredAttempts, listener: () => void): () => void {
    const ends = members.flatMap(({ session }) => {
      try {
        const { value, release } = this.#reviews.hold(session);
        // A new function each time: a review keeps equal ones once, and ending one watch must not end another.
        return [value.subscribe(() => listener()), release];
      } catch (error) {
        // Its workspace is not on disk.
        if (error instanceof CodedError) return [];
        throw error;
      }
    });
    return () => {
      for (const end of ends) end();
    };
  }

  async #filesOf(member: StoredAttempt, isNow = false): Promise<Files> {
    try {
      const { value: review, release } = this.#reviews.hold(member.session);
      try {
        const tree = await (isNow ? review.currentTree() : review.latestTree());
        return { member, tree, shadow: await review.shadow() };
      } finally {
        release();
      }
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return { member, tree: member.tree, shadow: undefined };
    }
  }
}

function checkOf(
  { check }: StoredAttempt,
  tree: string | undefined,
  isRunning: boolean,
): AttemptFigures['check'] {
  if (isRunning) return { state: 'running' };
  if (!check) return undefined;
  const { at, code } = check;
  const isOld = check.tree === undefined || tree === undefined || check.tree !== tree;
  return { state: 'ended', at, isOld, ...(code === undefined ? {} : { code }) };
}

function noTree(error: unknown): undefined {
  if (!(error instanceof CodedError)) throw error;
  return undefined;
}
