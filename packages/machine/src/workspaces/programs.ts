/** The agents, terminals and commands in workspaces, as operations see them. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import type { RunUse } from './run-use.ts';

/** The programs in workspaces. */
export interface WorkspaceUse {
  /** Whether a turn runs in it. */
  isWorking(workspace: string): boolean;
  counts(workspace: string): Promise<{ terminals: number; agents: number }>;
  /** Ends its terminals and idle agents. */
  end(workspace: string): Promise<void>;
  readonly runs: RunUse;
  /** The last recorded tree of its sessions in the folder with this id (`Shadow.place`). */
  lastTree(workspace: string, place: string): Promise<string | undefined>;
  /**
   * Runs a command in a visible terminal; undefined if it did not run to its end. With `again`, a terminal of an
   * earlier run is closed; otherwise its result counts.
   */
  setup(row: StoredWorkspace, command: string, again?: boolean): Promise<number | undefined>;
  /** The same before archiving. */
  teardown(row: StoredWorkspace, command: string): Promise<number | undefined>;
  /** The same for the check of a landing or an attempt, whose id lets the next server find the terminal. */
  check(row: StoredWorkspace, command: string, id: string, again?: boolean): Promise<number | undefined>;
  session(id: string): {
    readonly project: string;
    readonly title: string;
    readonly workspace?: string | undefined;
  };
  /** Whether no turn of the session runs or waits. */
  isIdle(session: string): boolean;
  /** Ends its idle agent, and starts it elsewhere with its next prompt. Idempotent. */
  move(session: string, workspace: string | undefined): Promise<void>;
}

/** Before the services that run programs exist. */
export const NO_PROGRAMS: WorkspaceUse = {
  isWorking: () => false,
  counts: async () => ({ terminals: 0, agents: 0 }),
  end: async () => undefined,
  runs: {
    terminals: async () => [],
    start: async () => undefined,
    stop: async () => undefined,
  },
  lastTree: async () => undefined,
  setup: async () => undefined,
  teardown: async () => undefined,
  check: async () => undefined,
  session: () => {
    throw new CodedError('SESSION_NOT_FOUND');
  },
  isIdle: () => true,
  move: async () => undefined,
};
