/** Serves the attempts area (B37). */
import { attempts as attemptsArea } from '@tugdeck/protocol/areas/attempts';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Projects } from '../projects/projects.ts';
import type { WorkspaceSettings } from '../workspaces/settings.ts';
import type { AttemptTrees } from './attempt-trees.ts';
import type { Attempts } from './attempts.ts';

export interface AttemptServices {
  readonly projects: Pick<Projects, 'get'>;
  readonly workspaceSettings: (projectPath: string) => WorkspaceSettings;
  readonly attempts: Attempts;
  readonly attemptTrees: AttemptTrees;
}

export function serveAttempts(services: AttemptServices): ServedArea {
  const { projects, attempts, attemptTrees } = services;
  return serveArea(attemptsArea, ({ project }, out) => {
    projects.get(project);
    /** Groups that the page compares, watched while it does. */
    const watched = new Map<string, () => void>();
    const changed = () => out.emit({ changed: true });
    const watch = (id: string) => {
      const before = watched.get(id);
      watched.set(id, attemptTrees.watch(attempts.get(project, id), changed));
      before?.();
    };
    const unsubscribe = attempts.subscribe((group) => {
      if (!watched.has(group)) return;
      watch(group);
      changed();
    });
    return {
      calls: {
        start: (request) => attempts.start(project, request),
        async compare({ group }) {
          if (!watched.has(group)) watch(group);
          return compareAttempts(services, project, group);
        },
        check: ({ group, session }) => attempts.check(project, group, session),
        send: (request) => attempts.send(project, request),
        choose: ({ group, session }) => attempts.choose(project, group, session),
      },
      close() {
        unsubscribe();
        for (const end of watched.values()) end();
      },
    };
  });
}

export async function compareAttempts(
  { projects, workspaceSettings, attempts, attemptTrees }: AttemptServices,
  project: string,
  id: string,
) {
  const { check } = workspaceSettings(projects.get(project).path);
  const compared = await attemptTrees.compare(attempts.get(project, id), (session) =>
    attempts.isChecking(session),
  );
  return { ...compared, ...(check === undefined ? {} : { check }) };
}
