/** Serves the workspaces area (B1). */
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Projects } from '../projects/projects.ts';
import { toRow } from './workspace-row.ts';
import type { Workspaces } from './workspaces.ts';

export function serveWorkspaces(services: {
  readonly projects: Pick<Projects, 'get'>;
  readonly workspaces: Workspaces;
}): ServedArea {
  const { projects, workspaces } = services;
  return serveArea(workspacesArea, ({ project }) => {
    projects.get(project);
    const own = (id: string) => workspaces.find(project, id).id;
    return {
      calls: {
        create: async (spec) => toRow(await workspaces.create(project, spec)),
        contents: ({ workspace }) => workspaces.contents(own(workspace)),
        archive: async ({ workspace }) => void (await workspaces.archive(own(workspace))),
        restore: async ({ workspace }) => void (await workspaces.restore(own(workspace))),
        forget: async ({ workspace, confirmed }) => {
          if (confirmed !== true) throw new CodedError('NOT_CONFIRMED');
          await workspaces.forget(own(workspace));
        },
        sizes: async () => ({ sizes: await workspaces.sizes(project) }),
      },
    };
  });
}
