/** The files part of a restore: plans, carries out, undoes and settles operations in the session's project. */

import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type BranchMove, type BranchPlan, planBranchMove } from '@tugdeck/trees/branch-move';
import {
  beginCarry,
  type CarryPlan,
  type EndedOperation,
  leaveCarry,
  planPatch,
  planUndo,
  runCarry,
  withWorktreeLock,
} from '@tugdeck/trees/carry/carry';
import { createdPaths, listOperations, type Operation, readOperation } from '@tugdeck/trees/carry/operation';
import { otherRestores, otherTurns } from '@tugdeck/trees/carry/other-sessions';
import type { Choice } from '@tugdeck/trees/carry/plan';
import { readSaves } from '@tugdeck/trees/carry/saves';
import { checkpointAt, planSessionRestore, type SessionRestore } from '@tugdeck/trees/carry/session-restore';
import { type Commit, commitsBetween } from '@tugdeck/trees/commits';
import { hasTree, treePatch } from '@tugdeck/trees/compare-trees';
import { type Head, readHead } from '@tugdeck/trees/read-head';
import { recordTree } from '@tugdeck/trees/record-tree';
import type { Shadow } from '@tugdeck/trees/shadow';
import { readTurnSpans } from '@tugdeck/trees/turn-bounds';
import type { TurnTrees } from '@tugdeck/trees/turn-trees';

export interface RestoreFilesOptions {
  readonly trees: Pick<TurnTrees, 'between'>;
  readonly session: string;
  /** The session's operations. */
  readonly directory: string;
  /** `trees.jsonl` of a session. */
  readonly fileOf: (session: string) => string;
  /** The operations of another session. */
  readonly directoryOf: (session: string) => string;
  /** Saves of the user in the editor during the turns of the session. */
  readonly saves: string;
  readonly now: () => number;
  /** How long to wait for a restore of another session in the same folder. */
  readonly lockMs: number;
  /** For tests: called at each step, may throw or end the process. */
  readonly onStep?: ((step: RestoreStep) => void) | undefined;
}

/** The steps of a restore; writes, replacements and removals are numbered. */
export type RestoreStep =
  | 'planned'
  | 'kept'
  | 'journaled'
  | `write ${number}`
  | `replace ${number}`
  | 'branch'
  | 'applied'
  | 'ended';

export interface RestoreTarget {
  readonly turn: string;
  readonly prompt: string;
}

/** Decides about a fresh plan: returns the user's choices to carry it out, or undefined to stop. */
export type Begin = (found: PlannedFiles) =>
  | {
      readonly choices?: Readonly<Record<string, Choice>>;
      readonly branch?: BranchMove | undefined;
    }
  | undefined;

export interface PlannedFiles extends Partial<Pick<SessionRestore, 'checkpoint' | 'gaps'>> {
  readonly plan: CarryPlan;
  readonly head?: ReturnType<typeof readHead>;
  /** Commits since the checkpoint, newest first. */
  readonly commits?: readonly Commit[] | undefined;
  /** Whether the branch can be moved too. Undefined if it has not moved. */
  readonly branch?: BranchPlan | undefined;
  /** The difference of the requested files. */
  readonly patch?: string | undefined;
}

export class RestoreFiles {
  readonly #options: RestoreFilesOptions;

  constructor(options: RestoreFilesOptions) {
    this.#options = options;
  }

  /** Operations that began and did not end. */
  unfinished(): Operation[] {
    return listOperations(this.#options.directory).filter(({ ended }) => !ended);
  }

  operation(id: string): Operation | undefined {
    return readOperation(this.#options.directory, id);
  }

  /** Plans with the current files. Undefined if the checkpoint does not exist. */
  plan(of: RestoreTarget | Operation, paths?: readonly string[]): Promise<PlannedFiles | undefined> {
    return this.#options.trees.between(async (shadow) => {
      const found = await this.#plan(shadow, of);
      if (!found) return undefined;
      const commits = await commitsBetween(shadow, found.checkpoint?.head?.commit, found.head?.commit);
      const patch = paths && (await planPatch(shadow, found.plan, paths));
      return { ...found, commits, patch };
    });
  }

  /** The difference between two checkpoints, or one and the current files. Undefined if one does not exist. */
  compare(from: RestoreTarget, until: RestoreTarget | undefined): Promise<string | undefined> {
    const { session, fileOf } = this.#options;
    return this.#options.trees.between(async (shadow) => {
      const turns = await readTurnSpans(fileOf(session));
      const before = checkpointAt(turns, from)?.tree;
      const after = until
        ? checkpointAt(turns, until)?.tree
        : (await recordTree({ shadow, writer: session })).tree;
      if (before === undefined || after === undefined) return undefined;
      for (const tree of [before, after]) if (!(await hasTree(shadow, tree))) return undefined;
      return treePatch(shadow, before, after);
    });
  }

  /**
   * Plans again and, if `begin` agrees, keeps everything that will be replaced and calls `began`; then changes the
   * files. Nobody else restores in the same folder at the same time.
   */
  carry(
    of: RestoreTarget | Operation,
    id: string,
    begin: Begin,
    began: (operation: Operation) => void,
  ): Promise<EndedOperation | 'missing' | 'refused'> {
    const { trees, session, directory, now, lockMs, onStep } = this.#options;
    return trees.between((shadow) =>
      withWorktreeLock(shadow, lockMs, async () => {
        const found = await this.#plan(shadow, of);
        if (!found) return 'missing';
        const agreed = begin(found);
        if (!agreed) return 'refused';
        onStep?.('planned');
        const { plan } = found;
        const at = now();
        const operation = await beginCarry({ shadow, plan, directory, session, at, id, ...agreed });
        try {
          onStep?.('kept');
          began(operation);
        } catch (error) {
          await leaveCarry({ shadow, operation, directory, now });
          throw error;
        }
        onStep?.('journaled');
        return this.#run(shadow, operation);
      }),
    );
  }

  finish(operation: Operation): Promise<EndedOperation> {
    const { trees, lockMs } = this.#options;
    return trees.between((shadow) => withWorktreeLock(shadow, lockMs, () => this.#run(shadow, operation)));
  }

  leave(operation: Operation): Promise<EndedOperation> {
    const { trees, directory, now } = this.#options;
    return trees.between((shadow) => leaveCarry({ shadow, operation, directory, now }));
  }

  async #run(shadow: Shadow, operation: Operation): Promise<EndedOperation> {
    const { directory, session, now, onStep } = this.#options;
    let writes = 0;
    const ended = await runCarry({
      shadow,
      operation,
      directory,
      now,
      onStep: () => {
        writes += 1;
        onStep?.(`write ${writes}`);
      },
      onReplace: () => onStep?.(`replace ${writes}`),
      onBranch: () => onStep?.('branch'),
      onApplied: () => onStep?.('applied'),
    });
    onStep?.('ended');
    // From now on they are recorded, also where the project ignores them. Without it, only an undo finds them.
    await recordTree({ shadow, writer: session, also: createdPaths(operation) }).catch(() => undefined);
    return ended;
  }

  /** Files are restored also if git can't read the repository; the branch then is not offered. */
  async #planBranch(shadow: Shadow, before: Head | undefined, now: Head | undefined) {
    try {
      return await planBranchMove(shadow, before, now);
    } catch (error) {
      if (error instanceof CodedError) return undefined;
      throw error;
    }
  }

  async #plan(shadow: Shadow, of: RestoreTarget | Operation): Promise<PlannedFiles | undefined> {
    const { session, fileOf, directory, directoryOf, saves } = this.#options;
    const also = 'rows' in of ? createdPaths(of) : [];
    const { tree: now } = await recordTree({ shadow, writer: session, also });
    if ('rows' in of) {
      const plan = await planUndo(shadow, of, now);
      // A branch that was not moved does not move back.
      const moved = of.branch && (!of.ended || of.ended.moved) ? of.branch : undefined;
      if (!moved) return { plan };
      const { branch, from: to, to: from } = moved;
      return { plan, branch: { move: { branch, from, to }, pushed: 0 } };
    }
    const found = await planSessionRestore({
      shadow,
      turns: await readTurnSpans(fileOf(session)),
      others: [
        ...(await otherTurns(shadow, session, fileOf)),
        ...(await otherRestores(shadow, session, directoryOf)),
      ],
      operations: listOperations(directory),
      saves: await readSaves(saves),
      now,
      target: of,
    });
    if (!found) return undefined;
    const head = shadow.source && readHead(shadow.source);
    const branch = await this.#planBranch(shadow, found.checkpoint.head, head);
    return { ...found, ...(head ? { head } : {}), ...(branch ? { branch } : {}) };
  }
}
