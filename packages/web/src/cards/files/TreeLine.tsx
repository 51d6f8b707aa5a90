import type { FileMark } from '@tugdeck/protocol/files/messages';
import {
  ChevronDown,
  ChevronRight,
  CircleSlash,
  CornerDownRight,
  File,
  Folder,
  FolderOpen,
} from 'lucide-react';
import { type KeyboardEvent, useCallback } from 'react';
import { visiblePath } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import type { TreeRow } from './tree-rows.ts';

export interface TreeLineProps {
  id: string;
  row: TreeRow;
  isChosen: boolean;
  isOver: boolean;
  /** The row is being renamed. */
  isNamed: boolean;
  onNamed: (name: string | undefined) => void;
  onAct: () => void;
  /** A double click. */
  onKeep: () => void;
  onMenu: (place: { x: number; y: number }) => void;
}

/** The type of a dragged path. */
export const DRAGGED = 'application/x-tugdeck-path';

const MARK_LABELS: Readonly<Record<FileMark, string>> = {
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  U: 'conflict',
  '?': 'untracked',
  '!': 'ignored',
};

export function TreeLine({
  id,
  row,
  isChosen,
  isOver,
  isNamed,
  onNamed,
  onAct,
  onKeep,
  onMenu,
}: TreeLineProps) {
  const { name, kind, level, isOpen, mark, place, siblings } = row;
  if (kind === 'more') {
    return (
      <div className="tree-line" data-kind={kind} style={{ paddingInlineStart: 12 + level * 14 }}>
        {name}
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      id={id}
      className="tree-line"
      role="treeitem"
      aria-level={level}
      aria-selected={isChosen}
      aria-expanded={kind === 'folder' ? isOpen : undefined}
      aria-posinset={place}
      aria-setsize={siblings}
      data-path={kind === 'new' ? undefined : row.path}
      data-kind={kind}
      data-mark={mark}
      data-over={isOver}
      style={{ paddingInlineStart: 8 + (level - 1) * 14 }}
      draggable={!isNamed}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, row.path)}
      // Only the first click of a double click: the second would collapse the folder again.
      onClick={(event) => !isNamed && event.detail < 2 && onAct()}
      onDoubleClick={() => !isNamed && onKeep()}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu({ x: event.clientX, y: event.clientY });
      }}
    >
      <span className="tree-fold">
        {kind === 'folder' ? <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} /> : null}
      </span>
      <Icon icon={iconOf(row)} size={15} />
      {isNamed ? (
        <NameField name={kind === 'new' ? '' : name} onNamed={onNamed} />
      ) : (
        <>
          <span className="tree-name truncate">{visiblePath(name)}</span>
          {row.isLink ? <Icon icon={CornerDownRight} size={12} /> : null}
          {mark && mark !== '!' ? (
            <span className="tree-mark" title={MARK_LABELS[mark]}>
              {kind === 'folder' ? '•' : mark}
            </span>
          ) : null}
          {mark ? <span className="visually-hidden">, {MARK_LABELS[mark]}</span> : null}
        </>
      )}
    </div>
  );
}

function iconOf({ kind, isOpen }: TreeRow) {
  if (kind === 'folder') return isOpen ? FolderOpen : Folder;
  return kind === 'other' ? CircleSlash : File;
}

/** Enter saves the name; Esc or an empty name cancels. */
function NameField({ name, onNamed }: { name: string; onNamed: (name: string | undefined) => void }) {
  const focus = useCallback((field: HTMLInputElement | null) => {
    if (!field) return;
    field.focus();
    const end = field.value.lastIndexOf('.');
    field.setSelectionRange(0, end > 0 ? end : field.value.length);
  }, []);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation();
    if (event.key === 'Escape') {
      event.preventDefault();
      onNamed(undefined);
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onNamed(event.currentTarget.value);
    }
  };
  return (
    <input
      ref={focus}
      className="tree-field"
      aria-label="Name"
      defaultValue={name}
      spellCheck={false}
      autoComplete="off"
      onKeyDown={onKeyDown}
      onBlur={() => onNamed(undefined)}
      onClick={(event) => event.stopPropagation()}
    />
  );
}
