/** The Files card (W2): tree, search or trash. */

import { files as filesArea } from '@tugdeck/protocol/areas/files';
import { ChevronsDownUp, FilePlus, FolderPlus, ListTree, Search, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { machineOfProject } from '../../kit/machines.ts';
import { folderOf } from '../../kit/place.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { SearchPanel } from './SearchPanel.tsx';
import { TrashPanel } from './TrashPanel.tsx';
import { Tree } from './Tree.tsx';
import { type FilesArea, TreeModel } from './tree-model.ts';
import { type TreeActions, useTreeActions } from './use-tree-actions.ts';
import './files.css';

export default function FilesCard({ params: { project }, setTitle }: CardProps) {
  const client = useClient();
  const [held, setHeld] = useState<{ files: FilesArea; tree: TreeModel }>();
  useEffect(() => setTitle('Files'), [setTitle]);
  useEffect(() => {
    if (project === undefined) return;
    const files = client.openArea(filesArea, { project });
    const tree = new TreeModel(files);
    setHeld({ files, tree });
    return () => {
      tree.close();
      setHeld(undefined);
    };
  }, [client, project]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <section className="pane" role="group" aria-label="Files">
      {held ? (
        <OpenFiles key={held.files.about.project} {...held} />
      ) : (
        <div className="files-note" aria-busy="true" />
      )}
    </section>
  );
}

function OpenFiles({ files, tree }: { files: FilesArea; tree: TreeModel }) {
  const [view, setView] = useState<'tree' | 'search' | 'trash'>('tree');
  const actions = useTreeActions(files, tree);
  const deck = useReadable(useClient().deck);
  const project = folderOf(deck, files.about.project);
  const owner = deck?.workspaces?.find(({ id }) => id === files.about.project)?.project;
  const machine = machineOfProject(deck, owner ?? files.about.project);
  const isOffline = machine !== undefined && machine.state !== 'online';
  const showTrash = () => {
    // The undo is available in the trash list.
    actions.dismiss();
    setView('trash');
  };
  return (
    <>
      <header className="pane-bar">
        <span className="files-title truncate" title={project?.path}>
          {project?.name ?? ''}
        </span>
        {view !== 'tree' ? (
          <IconButton icon={ListTree} label="Show tree" onClick={() => setView('tree')} />
        ) : (
          <>
            <IconButton icon={FilePlus} label="New file" onClick={() => actions.add('file')} />
            <IconButton icon={FolderPlus} label="New folder" onClick={() => actions.add('folder')} />
            <IconButton icon={ChevronsDownUp} label="Collapse all" onClick={() => tree.foldAll()} />
            <IconButton icon={Trash2} label="Trash" onClick={showTrash} />
            <IconButton icon={Search} label="Search in files" onClick={() => setView('search')} />
          </>
        )}
      </header>
      {isOffline ? (
        <p className="files-notice">{machine.id} is offline. Its files appear when Tugdeck reconnects.</p>
      ) : null}
      <Notice actions={actions} tree={tree} />
      {view === 'search' ? <SearchPanel files={files} /> : null}
      {view === 'trash' ? <TrashPanel files={files} tree={tree} /> : null}
      {view === 'tree' ? <Tree files={files} tree={tree} actions={actions} /> : null}
    </>
  );
}

/** The last error, or the last action that can be undone. */
function Notice({ actions, tree }: { actions: TreeActions; tree: TreeModel }) {
  const { isPartlyWatched } = useReadable(tree.state);
  const { notice } = actions;
  return (
    <div className="files-notices" role="status">
      {isPartlyWatched ? (
        <p className="files-notice">File watch limit reached. Only expanded folders update live.</p>
      ) : null}
      {notice ? (
        <p className="files-notice" data-fault={notice.isFault}>
          <span>{notice.text}</span>
          {notice.undo ? (
            <button type="button" className="button" data-look="link" onClick={notice.undo}>
              Undo
            </button>
          ) : null}
          <button type="button" className="button" data-look="link" onClick={actions.dismiss}>
            Dismiss
          </button>
        </p>
      ) : null}
    </div>
  );
}
