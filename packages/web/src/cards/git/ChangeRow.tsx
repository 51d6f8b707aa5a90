import type { GitFile, Side } from '@tugdeck/protocol/git/git-messages';
import { Minus, Plus, Undo2 } from 'lucide-react';
import { memo } from 'react';
import { visiblePath } from '../../kit/visible-text.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { changeStateText, conflictText, letterOf, splitPath } from './change-groups.ts';

export interface RowActions {
  choose(path: string, side: Side): void;
  stage(paths: readonly string[]): void;
  unstage(paths: readonly string[]): void;
  discard(paths: readonly string[]): void;
}

export interface ChangeRowProps {
  file: GitFile;
  side: Side;
  isChosen: boolean;
  acts: RowActions;
}

export const ChangeRow = memo(function ChangeRow({ file, side, isChosen, acts }: ChangeRowProps) {
  const { path, oldPath, conflict, submodule } = file;
  const letter = letterOf(file, side);
  const { folder, name } = splitPath(path);
  const stateLabel = conflict === undefined ? changeStateText(letter) : `Conflict: ${conflictText(conflict)}`;
  return (
    <li className="git-row" data-chosen={isChosen || undefined}>
      <button
        type="button"
        className="git-row-main"
        data-path={path}
        data-side={side}
        aria-current={isChosen || undefined}
        title={visiblePath(oldPath === undefined ? path : `${oldPath} → ${path}`)}
        onClick={() => acts.choose(path, side)}
      >
        <span className="git-letter" data-letter={letter} title={stateLabel}>
          {letter}
        </span>
        <span className="git-path">
          <span className="git-name">{visiblePath(name)}</span>
          <span className="git-folder">
            {oldPath === undefined ? visiblePath(folder) : `← ${visiblePath(oldPath)}`}
            {submodule ? ' submodule' : ''}
          </span>
        </span>
        <span className="visually-hidden">{stateLabel}</span>
      </button>
      <span className="git-row-acts">
        {conflict === undefined && side === 'unstaged' && !submodule ? (
          <IconButton
            icon={Undo2}
            label={`Discard ${visiblePath(name)}`}
            onClick={() => acts.discard([path])}
          />
        ) : null}
        {conflict !== undefined ? null : side === 'staged' ? (
          <IconButton
            icon={Minus}
            label={`Unstage ${visiblePath(name)}`}
            onClick={() => acts.unstage([path])}
          />
        ) : (
          <IconButton icon={Plus} label={`Stage ${visiblePath(name)}`} onClick={() => acts.stage([path])} />
        )}
      </span>
    </li>
  );
});
