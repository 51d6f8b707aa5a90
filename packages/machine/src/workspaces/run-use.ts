/** The terminals that run commands use (B22). */
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';

export interface RunUse {
  /** Terminals of a workspace. */
  terminals(workspace: string): Promise<readonly TerminalInfo[]>;
  /** Starts a command in a terminal; one with the same id is closed first. */
  start(row: StoredWorkspace, command: string, how: { terminal: string; name: string }): Promise<void>;
  stop(terminal: string): Promise<void>;
}
