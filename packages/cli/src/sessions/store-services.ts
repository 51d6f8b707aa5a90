/**
 * Session services without a server (L6): the same tables and rules on the same files, for one call. Only creates
 * files if a session is created.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { makeDataDirectory } from '@tugdeck/local/data-directory';
import { type Ledger, openLedger } from '@tugdeck/local/ledger';
import { runtimeDirectory } from '@tugdeck/local/runtime-directory';
import { withTimings } from '@tugdeck/local/timings';
import { AgentChoices } from '@tugdeck/machine/agents/agent-choices';
import { Preferences } from '@tugdeck/machine/agents/preferences';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import { Projects } from '@tugdeck/machine/projects/projects';
import { Sessions } from '@tugdeck/machine/sessions/sessions';
import { Trust } from '@tugdeck/machine/trust/trust';
import { directoryOf } from '@tugdeck/machine/workspaces/environment';
import { workspaceSettingsOf } from '@tugdeck/machine/workspaces/settings';
import { workspacePlaces } from '@tugdeck/machine/workspaces/workspace-places';
import { openStore } from '@tugdeck/store/store';
import type { Context } from '../commands/context.ts';
import { installedPrograms } from '../install.ts';

export interface StoreServices {
  readonly projects: Projects;
  readonly sessions: Sessions;
  readonly agents: AgentChoices;
  readonly workspaceFolder: (id: string) => string | undefined;
}

export function hasStore({ settings }: Context): boolean {
  return existsSync(settings.data.database);
}

export async function withStore<T>(
  context: Context,
  use: (services: StoreServices) => T | Promise<T>,
): Promise<T> {
  const { settings, environment } = context;
  const { data, configuration } = settings;
  makeDataDirectory(data.root);
  const ledger = openLedger(data.ledger, withTimings(configuration.timings));
  const store = openStore(data.database);
  try {
    const agents = new AgentChoices(configuration, installedPrograms().agents);
    const home = environment.HOME ?? homedir();
    const trust = new Trust({ table: store.trust, dataRoot: data.root, home, now: Date.now });
    const projects = new Projects(
      store.projects,
      trust,
      Date.now,
      cleanEnvironment(environment),
      workspacePlaces(store.workspaces, (path) => workspaceSettingsOf(configuration, path)),
    );
    const sessions = new Sessions({
      table: store.sessions,
      preferences: new Preferences(store.settings),
      projects,
      agents,
      trust,
      now: Date.now,
      isLive: (session) => isLive(ledger, session),
      host: {
        dataDirectory: data.root,
        runtimeDirectory: runtimeDirectory(data.root, environment),
        timings: withTimings(configuration.timings),
        logLevel: configuration.logLevel,
      },
    });
    const folders = new Map(store.workspaces.list().map((row) => [row.id, directoryOf(row)]));
    return await use({ projects, sessions, agents, workspaceFolder: (id) => folders.get(id) });
  } finally {
    store.close();
  }
}

function isLive(ledger: Ledger, session: string): boolean {
  const record = ledger.get(`host-${session}`);
  return record !== undefined && ledger.isAlive(record);
}
