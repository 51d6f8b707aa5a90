/** A project whose session's place is in a file, so that a killed process leaves it behind. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PlaceOptions, PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';

/** Where the session was moved, in order; an empty name is the checkout. */
export function movesIn(data: string): string[] {
  const file = join(data, 'moves');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

export function handoffPlace(data: string, project: string, options: PlaceOptions = {}): WorkspacePlace {
  const workspace = () => movesIn(data).at(-1) || undefined;
  return workspacePlace(data, project, {
    ...options,
    use: {
      session: () => ({ project: PROJECT, title: 'fix login', workspace: workspace() }),
      async move(_id, to) {
        if (workspace() !== to) appendFileSync(join(data, 'moves'), `${to ?? ''}\n`);
      },
    },
  });
}

export async function handOff({ workspaces }: WorkspacePlace, to: string, take = false) {
  const { hash } = await workspaces.handoff.look({ session: 's', to });
  const { end } = await workspaces.handoff.begin({ session: 's', to, hash, take });
  return end;
}
