/** Files, git and review of projects. */
import { AttemptTrees } from '../attempts/attempt-trees.ts';
import { FileService } from '../files/file-service.ts';
import { SaveNotes } from '../files/save-notes.ts';
import { GitRegistry } from '../git/git-registry.ts';
import { ReviewRegistry } from '../review/review-registry.ts';
import type { Context } from './context.ts';
import type { Published } from './published.ts';
import type { Records } from './records.ts';

export type ProjectServices = ReturnType<typeof createProjectServices>;

export function createProjectServices(
  context: Context,
  { projects, sessions, live }: Records,
  { branches }: Pick<Published, 'branches'>,
) {
  const { data, store, log, now, closing } = context;
  // Of a project or of one of its workspaces.
  const directoryOf = (place: string) => projects.place(place).directory;
  const placeOf = (session: string) => {
    const { project, workspace } = sessions.row(session);
    return workspace ?? project;
  };
  const git = closing.add(
    new GitRegistry({
      directoryOf,
      environmentOf: (place) => projects.place(place).environment,
      isTrusted: (place) => projects.place(place).project.trust === 'yes',
      ownBranch: (place) => {
        const row = store.workspaces.get(place);
        return row && { branch: row.branch, base: row.baseRef?.replace(/^refs\/(?:heads|remotes)\//, '') };
      },
      worktreeHome: data.worktrees,
      changed: (directory) => branches.refresh([directory]),
      log,
    }),
  );
  const notes = new SaveNotes({
    home: data.trees,
    workingIn: (place) =>
      [...live.values()].flatMap(({ session, summary }) =>
        summary !== undefined && summary.turn !== 'idle' && placeOf(session) === place ? [session] : [],
      ),
    fileOf: (session) => data.session(session).saves,
    log,
  });
  const files = closing.add(
    new FileService({
      ...{ dataRoot: data.root, directoryOf, log, now },
      marksOf: (project) => (listener) => git.watchMarks(project, listener),
      saved: (place, directory, content) => notes.add(place, directory, content),
    }),
  );
  const review = closing.add(
    new ReviewRegistry({
      ...{ data, log, now },
      directoryOf: (session) => directoryOf(placeOf(session)),
      attemptTree: (session, other, shadow) => attemptTrees.treeFor(session, other, shadow),
      siblings: (session) => {
        const place = placeOf(session);
        return sessions.list().flatMap((row) => ((row.workspace ?? row.project) === place ? [row.id] : []));
      },
    }),
  );
  const attemptTrees: AttemptTrees = new AttemptTrees(store.attempts, review);
  return { git, files, review, attemptTrees };
}
