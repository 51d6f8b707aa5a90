/** The reader process, and the external sessions that it finds. */
import { Adoption } from '../reader/adoption.ts';
import { ExternalSessions } from '../reader/external-sessions.ts';
import { ownSessions } from '../reader/own-sessions.ts';
import { ReaderProcess } from '../reader/reader-process.ts';
import type { Context } from './context.ts';
import type { Records } from './records.ts';

export type Reading = ReturnType<typeof createReading>;

export function createReading(context: Context, { projects, workspaces, sessions, agents }: Records) {
  const { data, programs, environment, logLevel, log, closing } = context;
  const external = new ExternalSessions({
    projects: () => [
      ...projects.list().map(({ id, path }) => ({ project: id, path })),
      ...workspaces.folders(),
    ],
    isOwn: ({ id, session }) => sessions.owns(id) || sessions.owns(session),
  });
  /** Sessions with a turn: they are scanned when searched, others are indexed. */
  const running = new Set<string>();
  const own = ownSessions(sessions, projects, (session) => running.has(session));
  const reader = closing.add(
    new ReaderProcess({
      ...{ data, environment, logLevel, log },
      program: programs.reader,
      own: () => own.all(),
    }),
  );
  const adoption = new Adoption({
    ...{ data, sessions, external },
    resumingAgent: (agent) => agents.resumingAgent(agent, environment),
    isInUse: (session) => reader.isInUse(session),
  });
  return { external, running, own, reader, adoption };
}
