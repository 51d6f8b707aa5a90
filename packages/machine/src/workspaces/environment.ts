/** The variables that agents, terminals and setup of a workspace have (B19). */
import { basename, join } from 'node:path';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { firstPort, PORTS_EACH } from './ports.ts';

type Environment = Readonly<Record<string, string>>;

/** `root` is the project's own directory. `own` are the user's variables, with `{port}` and other placeholders. */
export function workspaceEnvironment(row: StoredWorkspace, root: string, own: Environment = {}): Environment {
  const path = directoryOf(row);
  const port = row.slot === undefined ? undefined : firstPort(row.slot);
  const values: Record<string, string> = {
    TUGDECK_WORKSPACE: row.name,
    TUGDECK_WORKSPACE_PATH: path,
    TUGDECK_ROOT_PATH: root,
    ...(row.branch === undefined ? {} : { TUGDECK_BRANCH: row.branch }),
    COMPOSE_PROJECT_NAME: `${basename(root)}-${row.name}`.toLowerCase().replace(/[^a-z0-9_-]+/g, '-'),
  };
  if (port !== undefined) {
    for (let index = 0; index < PORTS_EACH; index++) {
      values[`TUGDECK_WORKSPACE_PORT${index === 0 ? '' : `_${index}`}`] = String(port + index);
    }
  }
  const fill = (text: string) =>
    text.replace(/\{(port(?:\+(\d))?|name_|name|root|path)\}/g, (whole, key: string, plus?: string) => {
      if (key.startsWith('port')) return port === undefined ? whole : String(port + Number(plus ?? 0));
      if (key === 'name_') return row.name.replaceAll('-', '_');
      return { name: row.name, root, path }[key] ?? whole;
    });
  for (const [name, value] of Object.entries(own)) values[name] = fill(value);
  return values;
}

/** Where its sessions work: the project's folder in the worktree (B26). */
export function directoryOf({ path, folder }: Pick<StoredWorkspace, 'path' | 'folder'>): string {
  return folder === '' ? path : join(path, folder);
}
