/** Handles requests of `tugdeck` commands in the running server (L2). */
import type { HostAddress } from '@tugdeck/machine/hosts/host-connection';
import type { Services } from '@tugdeck/machine/services';
import type { Pages } from '../transport/pages.ts';
import type { ControlAnswer, ControlRequest, ServerStatus } from './messages.ts';

export interface ControlOptions {
  readonly services: Services;
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
  { projects, deck }: Services,
  pages: Pages,
  directory: string,
  environment: Readonly<Record<string, string>>,
  isTrusted = false,
): Promise<OpenedProject> {
  const project = await projects.open(directory, environment);
  if (isTrusted) await trustProject(deck, project.id);
  deck.show(project.id);
  return { url: pages.issueUrl(project.id), project: project.id };
}

export async function answerControl(
  options: ControlOptions,
  request: ControlRequest,
): Promise<ControlAnswer> {
  const { services, pages, stop } = options;
  switch (request.type) {
    case 'add':
      return { type: 'url', ...(await add(options, request)) };
    case 'url':
      return { type: 'url', url: pages.issueUrl() };
    case 'status':
      return { type: 'status', status: statusOf(options) };
    case 'open':
      return { type: 'session', session: request.session, ...(await openSession(services, request)) };
    case 'search':
      return { type: 'found', answer: await services.reader.search(request.search) };
    case 'rebuild':
      await services.reader.rebuild();
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

function add(
  { services, pages }: ControlOptions,
  { directory, environment, trust }: Extract<ControlRequest, { type: 'add' }>,
): Promise<OpenedProject> {
  return openProject(services, pages, directory, environment, trust);
}

/** `--trust` accepts the configuration as it is now (X6). */
function trustProject(deck: Services['deck'], project: string): Promise<void> {
  return deck.perform({ type: 'project.trust', id: project, project, trust: 'yes' });
}

async function openSession(
  { projects, sessions, pool, deck }: Services,
  { session, create, fork, trust }: Extract<ControlRequest, { type: 'open' }>,
): Promise<HostAddress & { leftOut?: string }> {
  const known = create ? undefined : sessions.find(fork?.of ?? session)?.project;
  if (trust && known !== undefined) await trustProject(deck, known);
  if (create) {
    const project = await projects.open(create.directory, create.environment);
    if (trust) await trustProject(deck, project.id);
    deck.publishProject(project.id);
    const agent = create.agent ?? deck.head().defaultAgent;
    const { from } = create;
    sessions.create(session, project.id, agent, { from, byProgram: true });
    deck.rowChanged(session);
  } else if (fork) {
    await deck.perform({ type: 'session.fork', id: session, session, ...fork });
  } else sessions.row(session);
  const leftOut = pool.isLive(session) ? undefined : sessions.skippedConfig(session);
  return { ...(await pool.ensure(session)), ...(leftOut === undefined ? {} : { leftOut }) };
}

function statusOf({ services, pages, about }: ControlOptions): ServerStatus {
  const rows = services.sessions.list();
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return {
    ...about,
    origin: pages.origin,
    pages: pages.count(),
    projects: services.projects.list().map(({ id, name, path }) => ({ id, name, path })),
    sessions: rows.length,
    ...(services.reader.state ? { reader: services.reader.state } : {}),
    hosts: services.pool.list().map(({ session, record, summary }) => ({
      session,
      title: titles.get(session) ?? 'Session of a removed project',
      pid: record.identity.pid,
      turn: summary?.turn ?? 'idle',
    })),
  };
}
