/** Requests of `tugdeck workspaces` (section "Command line" of docs/workspaces.md). */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceAnswer, WorkspaceRequest } from '@tugdeck/protocol/workspaces/workspace-request';
import { type AttemptCommandServices, performAttemptRequest } from '../attempts/attempt-commands.ts';
import type { ForgeStarts } from '../forge/forge-starts.ts';
import type { Environment } from '../port.ts';
import type { Projects } from '../projects/projects.ts';
import { toRow } from './workspace-row.ts';
import type { Workspaces } from './workspaces.ts';

export async function performWorkspaceRequest(
  services: {
    projects: Projects;
    workspaces: Workspaces;
    forgeStarts: Pick<ForgeStarts, 'begin'>;
  } & AttemptCommandServices,
  directory: string,
  environment: Environment,
  request: WorkspaceRequest,
): Promise<WorkspaceAnswer> {
  const { projects, workspaces } = services;
  if (request.act === 'list' && request.all) return answer(workspaces.list());
  const project = (await projects.open(directory, environment)).id;
  const one = (name: string) => workspaces.find(project, name);
  switch (request.act) {
    case 'list':
      return answer(workspaces.list(project));
    case 'show':
      return answer([toRow(one(request.name))]);
    case 'create': {
      const { id } = await workspaces.create(project, request.spec);
      return answer([toRow(await workspaces.ready(id))]);
    }
    case 'start': {
      const { id } = await services.forgeStarts.begin(project, { number: request.number });
      return answer([toRow(await workspaces.ready(id))]);
    }
    case 'contents':
      return {
        ...answer([toRow(one(request.name))]),
        contents: await workspaces.contents(one(request.name).id),
      };
    case 'archive':
      return answer([toRow(await workspaces.archive(one(request.name).id))]);
    case 'restore':
      return answer([toRow(await workspaces.restore(one(request.name).id))]);
    case 'forget': {
      const row = one(request.name);
      if (!request.confirmed) throw new CodedError('NOT_CONFIRMED');
      await workspaces.forget(row.id);
      return answer([]);
    }
    case 'land.look': {
      const row = one(request.name);
      return { ...answer([toRow(row)]), landing: await workspaces.landing.look(row.id, request.choice) };
    }
    case 'land': {
      const { id } = one(request.name);
      const { end } = await workspaces.landing.begin(id, request.request);
      return answer([toRow(await end)]);
    }
    case 'handoff.look':
      return { ...answer([]), handoff: await workspaces.handoff.look(request.choice) };
    case 'handoff': {
      const { end } = await workspaces.handoff.begin(request.request);
      return answer([toRow(await end)]);
    }
    case 'attempts.list':
    case 'attempts.start':
    case 'attempts.compare':
    case 'attempts.choose':
      return { ...answer([]), ...(await performAttemptRequest(services, project, request)) };
    case 'disk':
      return { ...answer(workspaces.list(project)), sizes: await workspaces.sizes(project) };
  }
}

function answer(rows: WorkspaceAnswer['rows']): WorkspaceAnswer {
  return { rows };
}
