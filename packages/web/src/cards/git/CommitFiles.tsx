/** The files a commit or stash changed against its first parent; each expands to its diff (W3). */
import type { ChangedFile } from '@tugdeck/protocol/git/git-messages';
import { useState } from 'react';
import { HunkList } from '../../features/diff/HunkList.tsx';
import { useReply } from '../../kit/use-area.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import type { GitStore } from './git-store.ts';

export function CommitFiles({ store, commit }: { store: GitStore; commit: string }) {
  const { value, fault } = useReply(store.area, 'commit.files', { commit });
  const [open, setOpen] = useState<string>();
  return (
    <>
      {fault === undefined ? null : <p className="fault">{fault}</p>}
      <ul className="git-rows">
        {value?.files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              className="git-row-main"
              aria-expanded={open === file.path}
              onClick={() => setOpen(open === file.path ? undefined : file.path)}
            >
              <Counts file={file} />
              <span className="git-path">
                <span className="git-name">{visiblePath(file.path)}</span>
              </span>
            </button>
            {open === file.path ? <CommitDiff store={store} commit={commit} path={file.path} /> : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function Counts({ file }: { file: ChangedFile }) {
  return (
    <span className="diff-counts git-counts">
      {file.binary ? 'Binary' : null}
      {file.added > 0 ? <span className="is-added">+{file.added}</span> : null}
      {file.removed > 0 ? <span className="is-removed">−{file.removed}</span> : null}
    </span>
  );
}

const NONE = () => null;

function CommitDiff({ store, commit, path }: { store: GitStore; commit: string; path: string }) {
  const [isWhole, setWhole] = useState(false);
  const { value, fault } = useReply(store.area, 'commit.diff', { commit, path, whole: isWhole });
  if (fault !== undefined) return <p className="fault">{fault}</p>;
  return value ? <HunkList change={value} actions={NONE} onWhole={() => setWhole(true)} /> : null;
}
