/** Commits between two recorded heads. Reads objects only. */
import type { Shadow } from './shadow.ts';

export interface Commit {
  readonly commit: string;
  readonly subject: string;
}

const MAX_COMMITS = 50;
const MAX_SUBJECT = 200;

/** Commits that are in `now` and not in `before`, newest first. Empty if nothing moved, or a commit is gone. */
export async function commitsBetween(
  shadow: Shadow,
  before: string | undefined,
  now: string | undefined,
): Promise<Commit[]> {
  if (before === undefined || now === undefined || before === now) return [];
  const format = ['--format=%H%x00%s', `--max-count=${MAX_COMMITS}`, '--no-show-signature'];
  const { code, stdout } = await shadow.run(['log', ...format, now, '--not', before, '--'], {
    answers: [128],
  });
  if (code !== 0) return [];
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [commit, subject] = line.split('\0');
      return commit && subject !== undefined ? [{ commit, subject: subject.slice(0, MAX_SUBJECT) }] : [];
    });
}
