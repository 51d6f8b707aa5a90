/** Changed files in groups (W3). Arrows and J K move, Enter opens the diff, S U D stage, unstage and discard. */
import type { RepositoryStatus, Side } from '@tugdeck/protocol/git/git-messages';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { moveFocus } from '../../features/diff/move-focus.ts';
import { plural } from '../../kit/format.ts';
import { Button } from '../../ui/Button.tsx';
import { ChangeRow, type RowActions } from './ChangeRow.tsx';
import { type ChangeGroup, changeGroups } from './change-groups.ts';
import type { ChosenFile } from './git-store.ts';

/** Rows shown per group at first. */
const SHOWN = 200;

export interface ChangeListProps {
  status: RepositoryStatus;
  chosen: ChosenFile | undefined;
  acts: RowActions;
}

export function ChangeList({ status, chosen, acts }: ChangeListProps) {
  const groups = useMemo(() => changeGroups(status), [status]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step !== undefined) {
      moveFocus(event.currentTarget, '.git-row-main', step);
      event.preventDefault();
      return;
    }
    const row = (event.target as HTMLElement).closest<HTMLElement>('.git-row-main');
    if (row && onRowKey(event.key, row.dataset.path ?? '', row.dataset.side as Side, acts))
      event.preventDefault();
  };
  if (groups.length === 0) return <p className="pane-empty">Working tree clean</p>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the focused rows inside
    <div className="git-groups" onKeyDown={onKeyDown}>
      {groups.map((group) => (
        <Group key={group.name} group={group} chosen={chosen} acts={acts} />
      ))}
      {status.more > 0 ? <p className="pane-note">{plural(status.more, 'more file')} not shown</p> : null}
      {status.folded ? <p className="pane-note">Many new files: showing folders only</p> : null}
    </div>
  );
}

function onRowKey(key: string, path: string, side: Side, acts: RowActions): boolean {
  if (key === 's' && side === 'unstaged') acts.stage([path]);
  else if (key === 'u' && side === 'staged') acts.unstage([path]);
  else if ((key === 'd' || key === 'Delete') && side === 'unstaged') acts.discard([path]);
  else return false;
  return true;
}

function Group({
  group,
  chosen,
  acts,
}: {
  group: ChangeGroup;
  chosen: ChosenFile | undefined;
  acts: RowActions;
}) {
  const [isWhole, setWhole] = useState(false);
  const { name, title, side, files } = group;
  const paths = files.map(({ path }) => path);
  const shown = isWhole ? files : files.slice(0, SHOWN);
  return (
    <section className="git-group" aria-label={title}>
      <header className="git-group-head">
        <h3>
          {title} <span className="git-count">{files.length}</span>
        </h3>
        {name === 'conflicts' ? null : side === 'staged' ? (
          <Button look="quiet" onClick={() => acts.unstage(paths)}>
            Unstage all
          </Button>
        ) : (
          <Button look="quiet" onClick={() => acts.stage(paths)}>
            Stage all
          </Button>
        )}
      </header>
      <ul className="git-rows">
        {shown.map((file) => (
          <ChangeRow
            key={file.path}
            file={file}
            side={side}
            isChosen={chosen?.path === file.path && chosen.side === side}
            acts={acts}
          />
        ))}
      </ul>
      {shown.length < files.length ? (
        <Button look="link" className="git-more" onClick={() => setWhole(true)}>
          Show all {files.length}
        </Button>
      ) : null}
    </section>
  );
}
