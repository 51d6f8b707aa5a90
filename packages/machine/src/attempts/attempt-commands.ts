/** Requests of `tugdeck attempts` (section "Attempts" of docs/workspaces.md). */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceAnswer, WorkspaceRequest } from '@tugdeck/protocol/workspaces/workspace-request';
import type { HostPool } from '../hosts/host-pool.ts';
import { isIdle } from '../hosts/live-host.ts';
import type { SlotLimits } from '../hosts/slots.ts';
import { type AttemptServices, compareAttempts } from './attempts-area.ts';
import { toAttemptsRow } from './attempts-row.ts';

export interface AttemptCommandServices extends AttemptServices {
  readonly pool: Pick<HostPool, 'list'>;
  readonly limits: () => SlotLimits;
}

type AttemptRequest = Extract<WorkspaceRequest, { act: `attempts.${string}` }>;

export async function performAttemptRequest(
  services: AttemptCommandServices,
  project: string,
  request: AttemptRequest,
): Promise<Partial<WorkspaceAnswer>> {
  const { attempts, pool, limits } = services;
  switch (request.act) {
    case 'attempts.list': {
      const { turns, agents } = limits();
      const running = pool.list().filter((host) => !isIdle(host)).length;
      return { attempts: attempts.list(project), room: { limit: Math.min(turns, agents), running } };
    }
    case 'attempts.start':
      return { attempts: [await attempts.start(project, request.request, { byProgram: true })] };
    case 'attempts.compare': {
      const group = attempts.get(project, request.group);
      return {
        attempts: [toAttemptsRow(group)],
        compared: await compareAttempts(services, project, group.id),
      };
    }
    case 'attempts.choose': {
      const { group, session } = attempts.find(project, request.attempt);
      if (request.confirmed !== true) throw new CodedError('NOT_CONFIRMED');
      await attempts.choose(project, group.id, session);
      return { attempts: [toAttemptsRow(attempts.get(project, group.id))] };
    }
  }
}
