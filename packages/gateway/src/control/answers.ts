/** Handles requests of `tugdeck` commands in the running server (L2). */
import type { LocalMachine } from '@tugdeck/machine/machine';
import type { Environment } from '@tugdeck/machine/port';
import type { Pages } from '../transport/pages.ts';
import type { ControlAnswer, ControlRequest, ServerStatus } from './messages.ts';

export interface ControlOptions {
  readonly machine: LocalMachine;
  readonly pages: Pages;
  readonly about: Pick<ServerStatus, 'pid' | 'build' | 'dataDirectory' | 'startedAt'>;
  readonly stop: () => void;
}

export interface OpenedProject {
  readonly url: string;
  readonly project: string;
}

/** Adds a directory like `tugdeck DIR`. The environment must already be cleaned. */
export async function openProject(
  { machine, pages }: Pick<ControlOptions, 'machine' | 'pages'>,
  directory: string,
  environment: Environment,
  trust = false,
): Promise<OpenedProject> {
  const project = await machine.openProject(directory, environment, { trust });
  return { url: pages.issueUrl(project), project };
}

export async function answerControl(
  options: ControlOptions,
  request: ControlRequest,
): Promise<ControlAnswer> {
  const { machine, pages, about, stop } = options;
  switch (request.type) {
    case 'add': {
      const { directory, environment, trust } = request;
      return { type: 'url', ...(await openProject(options, directory, environment, trust)) };
    }
    case 'url':
      return { type: 'url', url: pages.issueUrl() };
    case 'status':
      return {
        type: 'status',
        status: { ...about, origin: pages.origin, pages: pages.count(), ...(await machine.status()) },
      };
    case 'open': {
      const { session } = request;
      const prepared = await machine.prepareSession(request);
      return { type: 'session', session, ...prepared, ...(await machine.hostAddress(session)) };
    }
    case 'workspaces': {
      const { directory, environment, request: asked } = request;
      return { type: 'workspaces', answer: await machine.workspaces(directory, environment, asked) };
    }
    case 'search':
      return { type: 'found', answer: await machine.search(request.search) };
    case 'rebuild':
      await machine.rebuildIndex();
      return { type: 'rebuilding' };
    case 'sign-out-all':
      pages.signOutAll();
      return { type: 'signed-out' };
    case 'stop':
      // After the answer is sent.
      setImmediate(stop);
      return { type: 'stopping' };
  }
}
