/**
 * Ends an agent (L8): after the protocol's own shutdown, SIGTERM to its process group, then SIGKILL, then a kill of
 * everything that carries its mark, then a check that nothing is left. Kills only processes that identity, group or
 * mark prove to be ours.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { whereabouts } from './place.ts';
import { findByEnvironment, groupMembers, isRunning, type ProcessIdentity } from './process-identity.ts';

export const MARK = 'TUGDECK_MARK';

export interface Tree {
  readonly identity: ProcessIdentity;
  /** The group it leads; only trusted while a member carries the mark or is the leader itself. */
  readonly group?: number | undefined;
  readonly mark?: string | undefined;
}

export interface EndingTimings {
  readonly farewellMs: number;
  readonly terminateMs: number;
}

/**
 * Ends a process tree after (or without) the protocol's own shutdown. Resolves with the processes that could not be
 * ended, normally none.
 */
export async function endTree(tree: Tree, timings: EndingTimings): Promise<ProcessIdentity[]> {
  if (await gone(tree, timings.farewellMs)) return [];
  signal(tree, 'SIGTERM');
  if (await gone(tree, timings.terminateMs)) return [];
  signal(tree, 'SIGKILL');
  await gone(tree, timings.terminateMs);
  return membersOf(tree);
}

/** All running processes of the tree. */
export function membersOf(tree: Tree): ProcessIdentity[] {
  const members = new Map<number, ProcessIdentity>();
  if (isRunning(tree.identity)) members.set(tree.identity.pid, tree.identity);
  const marked = tree.mark === undefined ? [] : findByEnvironment(MARK, tree.mark);
  for (const identity of marked) members.set(identity.pid, identity);
  // In another place, the group number belongs to a different group here.
  if (tree.group !== undefined && whereabouts(tree.identity) === 'here') {
    const group = groupMembers(tree.group);
    // Group numbers are reused like pids: the group is ours only if a member is proven to be ours.
    if (group.some(({ pid }) => members.has(pid))) {
      for (const identity of group) members.set(identity.pid, identity);
    }
  }
  members.delete(process.pid);
  return [...members.values()];
}

function signal(tree: Tree, name: NodeJS.Signals): void {
  for (const identity of membersOf(tree)) {
    if (!isRunning(identity)) continue;
    try {
      process.kill(identity.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function gone(tree: Tree, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    if (membersOf(tree).length === 0) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await wait(Math.min(25, left));
  }
}
