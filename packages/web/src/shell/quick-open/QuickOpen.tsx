/** Quick open (W2): finds files of the current project by a few letters. */
import { files } from '@tugdeck/protocol/areas/files';
import type { FoundFile } from '@tugdeck/protocol/files/messages';
import { useEffect, useState } from 'react';
import { openFile } from '../../features/files/open-file.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { persisted, stringList } from '../../kit/persisted.ts';
import { useArea } from '../../kit/use-area.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { ListDialog } from '../../ui/ListDialog.tsx';
import { MatchedText } from '../../ui/MatchedText.tsx';
import { currentProject } from '../dock/picker-rows.ts';
import { useTyped } from '../typed-ahead.ts';

export function QuickOpen({ query: begun, onClose }: { query?: string; onClose: () => void }) {
  const client = useClient();
  const deck = client.deck.get();
  const project = deck && currentProject(deck);
  const [query, setQuery] = useTyped(begun);
  const { found, fault } = useFound(project?.id, query);
  const open = (file: FoundFile) => {
    if (!project) return;
    onClose();
    // The line number can be typed too: `name:12`.
    const line = /:(\d{1,7})$/.exec(query)?.[1];
    openFile(project.id, file.path, line === undefined ? undefined : Number(line));
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

function FileName({ file: { path, at } }: { file: FoundFile }) {
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

/** Keeps the last result until the next arrives, so that the list does not flicker. */
function useFound(project: string | undefined, query: string) {
  const { channel } = useArea(files, project === undefined ? undefined : { project });
  const [answer, setAnswer] = useState<{ found: readonly FoundFile[]; fault?: string }>({ found: [] });
  useEffect(() => {
    if (!channel || project === undefined) return;
    let isOver = false;
    channel.call('find', { query: query.replace(/:\d*$/, '') }).then(
      ({ files: found }) =>
        !isOver && setAnswer({ found: query === '' ? recentFiles(project).first(found) : found }),
      (error: unknown) => !isOver && setAnswer({ found: [], fault: faultText(error) }),
    );
    return () => {
      isOver = true;
    };
  }, [channel, project, query]);
  return answer;
}

const MAX_FILES = 20;

/** Recently opened files per project, for an empty quick open. */
function recentFiles(project: string) {
  const memory = persisted<readonly string[]>(`recent-files.${project}`, stringList);
  return {
    add(path: string): void {
      memory.set([path, ...memory.get().filter((one) => one !== path)].slice(0, MAX_FILES));
    },
    /** Recent files first, then the others. */
    first(found: readonly FoundFile[]): FoundFile[] {
      const recent = memory.get().map((path): FoundFile => ({ path, kind: 'file', at: [] }));
      const known = new Set(memory.get());
      return [...recent, ...found.filter(({ path }) => !known.has(path))];
    },
  };
}
