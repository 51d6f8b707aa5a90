/** The current branch and its distance to upstream; the menu switches branches. */
import type { RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { ArrowDown, ArrowUp, GitBranch as BranchIcon } from 'lucide-react';
import { plural } from '../../kit/format.ts';
import { visibleExact, visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';

export function BranchBar({ status, onOpen }: { status: RepositoryStatus; onOpen: () => void }) {
  const { branch, commit, upstream, prefix } = status;
  const name = branch ?? `detached at ${commit?.slice(0, 8) ?? 'nothing'}`;
  return (
    <div className="git-branch">
      <button type="button" className="git-branch-name" onClick={onOpen} title="Branches">
        <Icon icon={BranchIcon} />
        <span className="truncate">{visibleExact(name)}</span>
      </button>
      {commit === undefined ? <span className="pane-fact">No commits yet</span> : null}
      {upstream ? <Distance upstream={upstream} /> : null}
      {prefix === '' ? null : (
        <span className="pane-fact truncate" title="The project is a folder inside this repository">
          in {visiblePath(prefix)}
        </span>
      )}
    </div>
  );
}

function Distance({ upstream }: { upstream: NonNullable<RepositoryStatus['upstream']> }) {
  const { name, ahead, behind, gone } = upstream;
  if (gone) return <span className="pane-fact">{visibleExact(name)} is gone</span>;
  const distanceLabel =
    ahead + behind === 0
      ? `Up to date with ${name}`
      : [
          ahead > 0 ? `${plural(ahead, 'commit')} ahead of` : '',
          behind > 0 ? `${plural(behind, 'commit')} behind` : '',
        ]
          .filter(Boolean)
          .join(', ')
          .concat(` ${name}`);
  return (
    <span className="git-distance" title={visibleText(distanceLabel)}>
      <span className="visually-hidden">{visibleText(distanceLabel)}</span>
      {ahead > 0 ? (
        <span aria-hidden="true">
          <Icon icon={ArrowUp} size={12} />
          {ahead}
        </span>
      ) : null}
      {behind > 0 ? (
        <span aria-hidden="true">
          <Icon icon={ArrowDown} size={12} />
          {behind}
        </span>
      ) : null}
    </span>
  );
}
