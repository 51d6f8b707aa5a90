/** Stashes (W3), identified by commit because their numbers shift. */
import type { GitStash } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { records } from './records.ts';
import type { Repository } from './repository.ts';

const NAMES = ['commit', 'time', 'parents', 'description'] as const;
/** Stashing untracked files uses git's own pathspec, which must not be taken literally. */
const ENVIRONMENT = { GIT_LITERAL_PATHSPECS: undefined };

export async function stashes(repository: Repository): Promise<GitStash[]> {
  const { code } = await repository.read(['show-ref', '--verify', '--quiet', 'refs/stash'], { answers: [1] });
  if (code !== 0) return [];
  const text = await repository.readText([
    'log',
    '-z',
    '--walk-reflogs',
    '--no-show-signature',
    '--format=%H%x00%at%x00%P%x00%gs',
    '--max-count=500',
    'refs/stash',
    '--',
  ]);
  return records(text, NAMES).map(({ commit, time, parents, description }, index) => {
    const [, , untracked] = parents.split(' ');
    return {
      ...{ index, commit },
      at: Number(time) * 1000,
      text: description,
      ...(untracked === undefined ? {} : { untracked }),
    };
  });
}

export async function pushStash(
  repository: Repository,
  message: string | undefined,
  isUntracked: boolean,
): Promise<void> {
  const messageArgs = message?.trim() ? [`--message=${message.trim()}`] : [];
  const more = isUntracked ? ['--include-untracked'] : [];
  await repository.write(['stash', 'push', '--quiet', ...messageArgs, ...more], { environment: ENVIRONMENT });
}

export async function applyStash(repository: Repository, commit: string, isPop: boolean): Promise<void> {
  const name = await nameOf(repository, commit);
  await repository.write(['stash', isPop ? 'pop' : 'apply', '--quiet', name], { environment: ENVIRONMENT });
}

export async function dropStash(repository: Repository, commit: string): Promise<void> {
  const name = await nameOf(repository, commit);
  await repository.write(['stash', 'drop', '--quiet', name]);
}

async function nameOf(repository: Repository, commit: string): Promise<string> {
  const stash = (await stashes(repository)).find((one) => one.commit === commit);
  if (!stash) throw new CodedError('GIT_CHANGED', 'This stash no longer exists.');
  return `stash@{${stash.index}}`;
}
