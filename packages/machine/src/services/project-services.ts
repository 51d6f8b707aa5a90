/** Files, git and review of projects. */
import { FileService } from '../files/file-service.ts';
import { GitRegistry } from '../git/git-registry.ts';
import { ReviewRegistry } from '../review/review-registry.ts';
import type { Context } from './context.ts';
import type { Records } from './records.ts';

export function createProjectServices(context: Context, { projects, sessions }: Records) {
  const { data, log, now, closing } = context;
  const directoryOf = (project: string) => projects.get(project).path;
  const git = closing.add(
    new GitRegistry({
      directoryOf,
      environmentOf: (project) => projects.environment(project),
      isTrusted: (project) => projects.get(project).trust === 'yes',
      worktreeHome: data.worktrees,
      log,
    }),
  );
  const files = closing.add(
    new FileService({
      ...{ dataRoot: data.root, directoryOf, log, now },
      marksOf: (project) => (listener) => git.watchMarks(project, listener),
    }),
  );
  const review = closing.add(
    new ReviewRegistry({
      ...{ data, log, now },
      directoryOf: (session) => directoryOf(sessions.row(session).project),
      siblings: (session) => {
        const { project } = sessions.row(session);
        return sessions.list().flatMap((row) => (row.project === project ? [row.id] : []));
      },
    }),
  );
  return { git, files, review };
}
