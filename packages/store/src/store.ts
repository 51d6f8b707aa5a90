/** Opens the database with all durable server state (S6) and its tables. */
import { type AttemptTable, attemptTable } from './attempt-table.ts';
import { type Database, openDatabase } from './database.ts';
import { type DraftTable, draftTable } from './draft-table.ts';
import { type LayoutTable, layoutTable } from './layout-table.ts';
import { type ProjectTable, projectTable } from './project-table.ts';
import { type SessionTable, sessionTable } from './session-table.ts';
import { type SettingTable, settingTable } from './setting-table.ts';
import { type SignInTable, signInTable } from './sign-in-table.ts';
import { type TrustTable, trustTable } from './trust-table.ts';
import { type UsageTable, usageTable } from './usage-table.ts';
import { type WorkspaceTable, workspaceTable } from './workspace-table.ts';

export interface Store {
  readonly projects: ProjectTable;
  readonly sessions: SessionTable;
  readonly drafts: DraftTable;
  readonly layouts: LayoutTable;
  readonly settings: SettingTable;
  readonly signIns: SignInTable;
  readonly trust: TrustTable;
  readonly usage: UsageTable;
  readonly workspaces: WorkspaceTable;
  readonly attempts: AttemptTable;
  close(): void;
}

export function openStore(file: string): Store {
  const database = openDatabase(file);
  return {
    projects: projectTable(database),
    sessions: sessionTable(database),
    drafts: draftTable(database),
    layouts: layoutTable(database),
    settings: settingTable(database),
    signIns: signInTable(database),
    trust: trustTable(database),
    usage: usageTable(database),
    workspaces: workspaceTable(database),
    attempts: attemptTable(database),
    close: () => closeDatabase(database),
  };
}

function closeDatabase(database: Database): void {
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}
