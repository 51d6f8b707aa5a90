/** The file tree; only visible rows are rendered. One element has the focus; keys move the selection. */
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { openFile } from '../../features/files/open-file.ts';
import { mentionFile } from '../../features/prompt/add-to-prompt.ts';
import { useClient } from '../../kit/client-context.tsx';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import { ContextMenu } from '../../ui/ContextMenu.tsx';
import { DRAGGED, TreeLine } from './TreeLine.tsx';
import type { FilesArea, TreeModel } from './tree-model.ts';
import { rowByLetters, type TreeRow, treeMove, treeRows } from './tree-rows.ts';
import type { TreeActions } from './use-tree-actions.ts';

export interface TreeProps {
  files: FilesArea;
  tree: TreeModel;
  actions: TreeActions;
}

const LETTERS_MS = 700;

export function Tree({ files, tree, actions }: TreeProps) {
  const client = useClient();
  const { listings, opened, chosen, fault } = useReadable(tree.state);
  const { naming } = actions;
  const adding = naming && naming.what !== 'rename' ? naming.path : undefined;
  const rows = useMemo(
    () => treeRows({ listings, opened, adding: adding === undefined ? undefined : { folder: adding } }),
    [listings, opened, adding],
  );
  const list = useRef<VListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const letters = useRef({ text: '', at: 0 });
  const [menu, setMenu] = useState<{ x: number; y: number; row: TreeRow }>();
  const [over, setOver] = useState<string>();
  const at = rows.findIndex(({ path }) => path === chosen);
  useEffect(() => {
    if (at >= 0) list.current?.scrollToIndex(at, { align: 'nearest' });
  }, [at]);

  const act = (row: TreeRow, isTemporary = false) => {
    tree.choose(row.path);
    if (row.kind === 'folder') (row.isOpen ? tree.fold : tree.unfold).call(tree, row.path);
    else if (row.kind === 'file') openFile(files.about.project, row.path, undefined, { isTemporary });
    else if (row.kind === 'other') actions.refuse(row.path, row.isLink);
  };
  const showMenu = (row: TreeRow, place?: { x: number; y: number }) => {
    const line = box.current?.querySelector(`[data-path="${CSS.escape(row.path)}"]`)?.getBoundingClientRect();
    tree.choose(row.path);
    setMenu({ row, ...(place ?? { x: line?.left ?? 0, y: line?.bottom ?? 0 }) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.altKey) return;
    const isModified = event.ctrlKey || event.metaKey;
    const move = treeMove(rows, chosen, event.key, { isModified });
    const row = rows.find(({ path }) => path === move?.path);
    if (!move) {
      if (isModified || event.key.length !== 1) return;
      const isNew = event.timeStamp - letters.current.at > LETTERS_MS;
      letters.current = { text: isNew ? event.key : letters.current.text + event.key, at: event.timeStamp };
      const found = rowByLetters(rows, chosen, letters.current.text);
      if (found) tree.choose(found.path);
    } else if (move.kind === 'choose') tree.choose(move.path);
    else if (move.kind === 'undo') actions.undo();
    else if (move.kind === 'rename') actions.rename(move.path);
    else if (move.kind === 'delete') actions.remove(move.path);
    else if (row && move.kind === 'menu') showMenu(row);
    else if (row) act(row);
    event.preventDefault();
    event.stopPropagation();
  };
  const folderAt = (event: DragEvent): string => {
    const path = (event.target as Element).closest('[data-path]')?.getAttribute('data-path') ?? '';
    const row = rows.find((one) => one.path === path);
    return row?.kind === 'folder' ? path : path.slice(0, Math.max(0, path.lastIndexOf('/')));
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(undefined);
    const folder = folderAt(event);
    const moved = event.dataTransfer.getData(DRAGGED);
    if (moved !== '') actions.move(moved, folder);
    else if (event.dataTransfer.files.length > 0) actions.upload(event.dataTransfer.files, folder);
  };
  if (fault !== undefined) return <p className="files-note">{fault}</p>;
  return (
    <>
      <div
        ref={box}
        className="tree"
        role="tree"
        tabIndex={0}
        aria-label="Project files"
        aria-activedescendant={at >= 0 ? `row-${files.about.project}-${at}` : undefined}
        data-card-focus=""
        onKeyDown={onKeyDown}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(folderAt(event));
        }}
        onDragLeave={() => setOver(undefined)}
        onDrop={onDrop}
        data-over={over === ''}
      >
        <VList ref={list} style={{ height: '100%' }} itemSize={ROW} bufferSize={ROW * 8}>
          {rows.map((row, index) => (
            <TreeLine
              key={row.path}
              id={`row-${files.about.project}-${index}`}
              row={row}
              isChosen={row.path === chosen}
              isOver={over !== undefined && over !== '' && row.path === over}
              isNamed={row.kind === 'new' || (naming?.what === 'rename' && naming.path === row.path)}
              onNamed={(name) => {
                actions.named(name);
                box.current?.focus();
              }}
              onAct={() => {
                box.current?.focus();
                act(row, true);
              }}
              onKeep={() => row.kind === 'file' && act(row)}
              onMenu={(place) => showMenu(row, place)}
            />
          ))}
        </VList>
        {rows.length === 0 && listings.has('') ? <p className="files-note">This folder is empty</p> : null}
      </div>
      {menu ? (
        <ContextMenu
          label={`Actions for ${visiblePath(menu.row.name)}`}
          at={menu}
          choices={choicesFor(menu.row)}
          onClose={() => {
            setMenu(undefined);
            box.current?.focus();
          }}
        />
      ) : null}
    </>
  );

  function choicesFor(row: TreeRow): MenuChoice[] {
    const folder =
      row.kind === 'folder' ? row.path : row.path.slice(0, Math.max(0, row.path.lastIndexOf('/')));
    const choice = (label: string, onChoose: () => void): MenuChoice => ({ id: label, label, onChoose });
    return [
      ...(row.kind === 'file' ? [choice('Open', () => openFile(files.about.project, row.path))] : []),
      choice('Add to message', () => mentionFile(client, { project: files.about.project, path: row.path })),
      choice('New file', () => actions.add('file', folder)),
      choice('New folder', () => actions.add('folder', folder)),
      choice('Rename', () => actions.rename(row.path)),
      choice('Open outside Tugdeck…', () =>
        openShellDialog({ kind: 'outside', place: files.about.project, path: row.path }),
      ),
      choice('Copy path', () => void navigator.clipboard.writeText(row.path)),
      choice('Delete', () => actions.remove(row.path)),
    ];
  }
}

const ROW = 26;
