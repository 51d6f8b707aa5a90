/** Workspaces as places for sessions, terminals and cards. */
import { sep } from 'node:path';
import type { WorkspaceTable } from '@tugdeck/store/workspace-table';
import type { WorkspacePlaces } from '../projects/projects.ts';
import { directoryOf, workspaceEnvironment } from './environment.ts';
import type { WorkspaceSettings } from './settings.ts';
import { assertUsable } from './workspace-row.ts';

export function workspacePlaces(
  table: WorkspaceTable,
  settings: (projectPath: string) => WorkspaceSettings,
): WorkspacePlaces {
  return {
    find(id, pathOf) {
      const row = table.get(id);
      if (!row) return undefined;
      assertUsable(row);
      const root = pathOf(row.project);
      const environment = workspaceEnvironment(row, root, settings(root).environment);
      return { project: row.project, directory: directoryOf(row), environment };
    },
    at: (path) => table.list().find((row) => path === row.path || path.startsWith(row.path + sep)),
  };
}
