/** A store, a project and a workspace service on real git, for tests. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openStore, type Store } from '@tugdeck/store/store';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import type { WorkspaceUse } from '../src/workspaces/programs.ts';
import type { WorkspaceSettings } from '../src/workspaces/settings.ts';
import { Workspaces } from '../src/workspaces/workspaces.ts';
import { silent } from './git-fixture.ts';

export interface WorkspacePlace {
  readonly store: Store;
  readonly workspaces: Workspaces;
  readonly home: string;
  readonly archive: string;
  close(): Promise<void>;
}

export interface PlaceOptions {
  readonly machine?: string;
  readonly settings?: WorkspaceSettings;
  readonly trust?: 'yes' | 'no';
  readonly use?: Partial<WorkspaceUse>;
  readonly reached?: (row: StoredWorkspace) => void;
  readonly performed?: (row: StoredWorkspace) => void;
  readonly now?: () => number;
  readonly freeBytes?: (folder: string) => Promise<number>;
  readonly turnsOf?: (session: string) => string | undefined;
}

export const PROJECT = 'p1';

/** Opens, or opens again after a kill, the data directory `root` for the project at `project`. */
export function workspacePlace(root: string, project: string, options: PlaceOptions = {}): WorkspacePlace {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const {
    machine = 'm1',
    settings = {},
    trust = 'yes',
    use = {},
    reached,
    performed,
    now = Date.now,
    freeBytes,
    turnsOf,
  } = options;
  const store = openStore(join(root, 'tugdeck.db'));
  if (!store.projects.get(PROJECT)) {
    store.projects.insert({ id: PROJECT, path: project, name: 'shop', addedAt: 1 });
  }
  const data = dataDirectory(root);
  const workspaces = new Workspaces({
    table: store.workspaces,
    projects: {
      get: (id) => ({ ...(store.projects.get(id) ?? fail(id)), trust }),
      environment: () => ({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }),
    },
    data,
    machine,
    settings: () => settings,
    now,
    log: silent,
    reached,
    performed,
    freeBytes,
    turnsOf,
  });
  workspaces.useWith({
    isWorking: () => false,
    counts: async () => ({ terminals: 0, agents: 0 }),
    end: async () => undefined,
    lastTree: async () => undefined,
    runs: { terminals: async () => [], start: async () => undefined, stop: async () => undefined },
    setup: async () => 0,
    teardown: async () => 0,
    check: async () => 0,
    session: () => ({ project: PROJECT, title: 'work' }),
    isIdle: () => true,
    move: async () => undefined,
    ...use,
  });
  return {
    store,
    workspaces,
    home: data.worktrees,
    archive: data.archive,
    async close() {
      await workspaces.close();
      store.close();
    },
  };
}

function fail(id: string): never {
  throw new Error(`no project ${id}`);
}
