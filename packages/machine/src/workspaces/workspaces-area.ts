/** Serves the workspaces area (B1). */
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Projects } from '../projects/projects.ts';
import type { SetupImports } from './imports/setup-imports.ts';
import type { Workspaces } from './workspaces.ts';

export function serveWorkspaces(services: {
  readonly projects: Pick<Projects, 'get'>;
  readonly workspaces: Workspaces;
  readonly setupImports: SetupImports;
}): ServedArea {
  const { projects, workspaces, setupImports } = services;
  return serveArea(workspacesArea, ({ project }) => {
    projects.get(project);
    const own = (id: string) => workspaces.find(project, id).id;
    const ofProject = <T extends { session: string }>(choice: T): T => {
      workspaces.handoff.assertOf(project, choice.session);
      return choice;
    };
    return {
      calls: {
        create: async (spec) => workspaces.row(await workspaces.create(project, spec)),
        plan: ({ base }) => workspaces.plan(project, base),
        found: async () => ({ worktrees: await workspaces.found(project) }),
        adopt: async ({ path }) => workspaces.row(await workspaces.adopt(project, path)),
        imports: () => ({ imports: setupImports.offered(project) }),
        'imports.choose': (choice) => setupImports.choose(project, choice),
        status: ({ workspace }) => workspaces.status(own(workspace)),
        'branch.recreate': async ({ workspace }) => workspaces.recreateBranch(own(workspace)),
        setup: async ({ workspace, act }) => workspaces.runs.setup(own(workspace), act),
        contents: ({ workspace }) => workspaces.contents(own(workspace)),
        archive: async ({ workspace }) => void (await workspaces.archive(own(workspace))),
        restore: async ({ workspace }) => void (await workspaces.restore(own(workspace))),
        forget: async ({ workspace, confirmed }) => {
          if (confirmed !== true) throw new CodedError('NOT_CONFIRMED');
          await workspaces.forget(own(workspace));
        },
        'land.look': ({ workspace, ...choice }) => workspaces.landing.look(own(workspace), choice),
        'land.bring': ({ workspace, ...request }) => workspaces.landing.bring(own(workspace), request),
        land: async ({ workspace, ...request }) => {
          await workspaces.landing.begin(own(workspace), request);
        },
        'handoff.look': (choice) => workspaces.handoff.look(ofProject(choice)),
        handoff: async (request) => void (await (await workspaces.handoff.begin(ofProject(request))).end),
        run: ({ workspace, ...request }) => workspaces.runs.start(own(workspace), request),
        'run.stop': ({ workspace, name }) => workspaces.runs.stop(own(workspace), name),
        ports: ({ workspace }) => workspaces.runs.changePorts(own(workspace)),
        free: async ({ workspace }) => ({ bytes: await workspaces.freeIgnored(own(workspace)) }),
        sizes: async () => ({ sizes: await workspaces.sizes(project) }),
      },
    };
  });
}
