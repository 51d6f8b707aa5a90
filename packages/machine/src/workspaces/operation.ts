/**
 * Runs an operation on a workspace step by step (B11). The row names the step before it begins, and each step can be
 * repeated, so that a new server continues where the old one stopped.
 */
import type { StoredWorkspace, WorkspaceOperation, WorkspaceTable } from '@tugdeck/store/workspace-table';

export interface Step {
  readonly name: string;
  /** Returns the fields of the row that it changed. */
  run(row: StoredWorkspace): Promise<Partial<StoredWorkspace> | undefined>;
}

export interface OperationPorts {
  readonly table: WorkspaceTable;
  /** A step has begun. */
  readonly reached: (row: StoredWorkspace) => void;
  /** For tests: its work is done, but not recorded yet. */
  readonly performed?: ((row: StoredWorkspace) => void) | undefined;
}

/** Runs the steps from the one in the row, or from the first. `last` are the row's fields once all are done. */
export async function runSteps(
  { table, reached, performed }: OperationPorts,
  begun: StoredWorkspace,
  steps: readonly Step[],
  last: (row: StoredWorkspace) => Partial<StoredWorkspace>,
): Promise<StoredWorkspace> {
  let row = begun;
  const first = steps.findIndex(({ name }) => name === begun.op?.step);
  for (const step of steps.slice(Math.max(0, first))) {
    row = save(table, row, { op: { ...opOf(row), step: step.name } });
    reached(row);
    const changes = (await step.run(row)) ?? {};
    performed?.(row);
    row = save(table, row, changes);
  }
  return save(table, row, { ...last(row), op: undefined });
}

export function save(
  table: WorkspaceTable,
  row: StoredWorkspace,
  changes: Partial<StoredWorkspace>,
): StoredWorkspace {
  const changed = { ...row, ...changes };
  table.save(changed);
  return changed;
}

function opOf({ op }: StoredWorkspace): WorkspaceOperation {
  if (!op) throw new Error('this workspace has no operation');
  return op;
}

/** Calls run one after the other, so that names and ports are in the order of the requests. */
export function inOrder<A extends unknown[], R>(act: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = last.then(() => act(...args));
    last = next.catch(() => undefined);
    return next;
  };
}
