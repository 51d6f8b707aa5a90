/** Handles requests of `tugdeck` commands in the running server (L2). */
import type { LocalMachine } from '@tugdeck/machine/machine';
import type { Environment } from '@tugdeck/machine/port';
import type { Machines } from '../machines/machines.ts';
import type { Pages } from '../transport/pages.ts';
import type { AnsweredRequest } from './control-socket.ts';
import type { ControlAnswer, ServerStatus } from './messages.ts';

export interface ControlOptions {
  readonly machine: LocalMachine;
  readonly machines: Machines;
  readonly pages: Pages;
  readonly about: Pick<ServerStatus, 'pid' | 'build' | 'dataDirectory' | 'startedAt'>;
  readonly stop: () => void;
}

/** `machine`: on another machine, where the directory may be relative to the user's home. */
export interface OpenHow {
  readonly trust?: boolean | undefined;
  readonly machine?: string | undefined;
}

export interface OpenedProject {
  readonly url: string;
  readonly project: string;
}

/** Adds a directory like `tugdeck DIR`. The environment must already be cleaned. */
export async function openProject(
  { machine, machines, pages }: Pick<ControlOptions, 'machine' | 'machines' | 'pages'>,
  directory: string,
  environment: Environment,
  { trust = false, machine: named }: OpenHow = {},
): Promise<OpenedProject> {
  const project =
    named === undefined
      ? await machine.openProject(directory, environment, { trust })
      : await machines.openProject(named, directory, trust);
  return { url: pages.issueUrl(project), project };
}

export async function answerControl(
  options: ControlOptions,
  request: AnsweredRequest,
): Promise<ControlAnswer> {
  const { machine, machines, pages, about, stop } = options;
  switch (request.type) {
    case 'add': {
      const { directory, environment, trust, machine: named } = request;
      const how = { trust, machine: named };
      return { type: 'url', ...(await openProject(options, directory, environment, how)) };
    }
    case 'url': {
      const { device } = request;
      if (!device) return { type: 'url', url: pages.issueUrl() };
      const { url, code, origin } = pages.pair(device);
      const { isLimited } = device;
      return { type: 'url', url, pairing: { ...(code === undefined ? {} : { code }), origin, isLimited } };
    }
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
    case 'machines':
      return {
        type: 'machines',
        machines: machines.list().map(({ name, state, rows }) => ({
          ...{ name, ...state },
          projects: rows.head.projects.length,
          sessions: [...rows.all()].length,
        })),
      };
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
