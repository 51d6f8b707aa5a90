/** Quick open (W2): finds files of the current project by a few letters. */
import type { FoundFile } from '@tugdeck/protocol/files/messages';
import { openFile } from '../../features/files/open-file.ts';
import { useClient } from '../../kit/client-context.tsx';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { ListDialog } from '../../ui/ListDialog.tsx';
import { MatchedText } from '../../ui/MatchedText.tsx';
import { currentProject } from '../dock/picker-rows.ts';
import { useTyped } from '../typed-ahead.ts';
import { lineOf, recentFiles, useFoundFiles } from './find-files.ts';

export function QuickOpen({ query: begun, onClose }: { query?: string; onClose: () => void }) {
  const client = useClient();
  const deck = client.deck.get();
  const project = deck && currentProject(deck);
  const [query, setQuery] = useTyped(begun);
  const { found, fault } = useFoundFiles(project?.id, query);
  const open = (file: FoundFile) => {
    if (!project) return;
    onClose();
    openFile(project.id, file.path, lineOf(query));
    recentFiles(project.id).add(file.path);
  };
  const label = project ? `Go to file in ${visibleText(project.name)}` : 'Add a project first';
  return (
    <ListDialog
      name="Quick open"
      label={label}
      query={query}
      onQuery={setQuery}
      found={found}
      keyOf={({ path }) => path}
      draw={(file) => <FileName file={file} />}
      onChoose={open}
      onClose={onClose}
      note={
        found.length === 0 && query !== '' ? (
          <p className="list-note">{fault ?? 'No matching files'}</p>
        ) : null
      }
    />
  );
}

export function FileName({ file: { path, at } }: { file: FoundFile }) {
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start);
  // Match positions count characters, so a name with escaped characters is shown without highlights.
  const shown = visiblePath(name);
  return (
    <>
      <span className="truncate">
        {shown === name ? <MatchedText text={name} at={at.map((place) => place - start)} /> : shown}
      </span>
      <span className="list-detail truncate">{visiblePath(path.slice(0, start))}</span>
    </>
  );
}
