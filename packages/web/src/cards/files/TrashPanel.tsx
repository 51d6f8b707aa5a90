/** The project's trash, newest first, with restore (W2). Also contains texts that a save overwrote. */
import type { TrashEntry } from '@tugdeck/protocol/files/messages';
import { nameOf, parentOf } from '@tugdeck/protocol/files/paths';
import { File, Folder } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { ago, exactTime } from '../../kit/format.ts';
import { useNow } from '../../kit/use-now.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { alternativePath } from './alternative-path.ts';
import type { FilesArea, TreeModel } from './tree-model.ts';

export interface TrashPanelProps {
  readonly files: FilesArea;
  readonly tree: TreeModel;
}

export function TrashPanel({ files, tree }: TrashPanelProps) {
  const [entries, setEntries] = useState<readonly TrashEntry[]>();
  const [note, setNote] = useState<{ readonly text: string; readonly isFault: boolean }>();
  /** The entry whose old path is in use. */
  const [taken, setTaken] = useState<string>();
  const failed = useCallback((error: unknown) => setNote({ text: faultText(error), isFault: true }), []);
  const load = useCallback(
    () => files.call('trash', {}).then((value) => setEntries(value.entries), failed),
    [files, failed],
  );
  useEffect(() => {
    void load();
    return files.onOpen(() => void load());
  }, [files, load]);
  const restore = async ({ id, path }: TrashEntry, isBeside: boolean) => {
    try {
      const back = await files.call('restore', {
        trash: id,
        ...(isBeside ? { to: alternativePath(path) } : {}),
      });
      setTaken(undefined);
      setNote({ text: `Restored ${visiblePath(back.path)}`, isFault: false });
      await tree.reveal(back.path);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'FILE_EXISTS') setTaken(id);
      failed(error);
    }
    await load();
  };
  return (
    <div className="trash-panel">
      <p className="search-words" role="status" data-fault={note?.isFault ?? false}>
        {note?.text ?? 'Deleted files are kept for 30 days'}
      </p>
      {entries?.length === 0 ? <p className="files-note">Trash is empty</p> : null}
      <ul className="trash-list" aria-label="Deleted files" aria-busy={entries === undefined}>
        {entries?.map((entry) => (
          <TrashLine
            key={entry.id}
            entry={entry}
            isTaken={taken === entry.id}
            onRestore={(isBeside) => void restore(entry, isBeside)}
          />
        ))}
      </ul>
    </div>
  );
}

interface TrashLineProps {
  readonly entry: TrashEntry;
  readonly isTaken: boolean;
  readonly onRestore: (isBeside: boolean) => void;
}

function TrashLine({ entry: { path, kind, at, why }, isTaken, onRestore }: TrashLineProps) {
  const now = useNow('half-minute');
  const Icon = kind === 'folder' ? Folder : File;
  const name = visiblePath(nameOf(path));
  const folder = visiblePath(parentOf(path));
  return (
    <li className="trash-line">
      <Icon className="trash-icon" aria-hidden />
      <span className="trash-words" title={visiblePath(path)}>
        <span className="truncate">{name}</span>
        <span className="muted truncate" title={exactTime(at)}>
          {why === 'overtaken' ? 'replaced by a save' : 'deleted'} · {ago(at, now)}
          {folder === '' ? '' : ` · ${folder}`}
        </span>
      </span>
      <Button look="quiet" aria-label={`Restore ${name}`} onClick={() => onRestore(isTaken)}>
        {isTaken ? 'Restore as copy' : 'Restore'}
      </Button>
    </li>
  );
}
