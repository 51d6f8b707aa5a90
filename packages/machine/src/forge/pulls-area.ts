/** Serves the pulls area (B53). */
import { pulls as pullsArea } from '@tugdeck/protocol/areas/pulls';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Projects } from '../projects/projects.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { ForgeStarts } from './forge-starts.ts';
import type { Pulls } from './pulls.ts';

export function servePulls(services: {
  readonly projects: Pick<Projects, 'get'>;
  readonly workspaces: Pick<Workspaces, 'find' | 'row'>;
  readonly pulls: Pulls;
  readonly forgeStarts: ForgeStarts;
}): ServedArea {
  const { projects, workspaces, pulls, forgeStarts } = services;
  return serveArea(pullsArea, ({ project }) => {
    projects.get(project);
    const own = (id: string) => workspaces.find(project, id).id;
    return {
      calls: {
        look: ({ workspace }) => pulls.look(own(workspace)),
        create: ({ workspace, ...request }) => pulls.create(own(workspace), request),
        find: async ({ workspace }) => {
          const pull = await pulls.find(own(workspace));
          return pull ? { pull } : {};
        },
        item: ({ number }) => forgeStarts.look(project, number),
        start: async (request) => workspaces.row(await forgeStarts.begin(project, request)),
        state: async ({ workspace }) => {
          const pull = await pulls.state(own(workspace));
          return pull ? { pull } : {};
        },
        log: async ({ workspace, job }) => ({ text: await pulls.log(own(workspace), job) }),
      },
    };
  });
}
