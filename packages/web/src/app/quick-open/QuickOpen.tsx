/** Quick open (W2): files of the project at hand by a few letters. Keys choose, Enter opens, Esc closes. */
import type { FoundFile } from '@tugdeck/protocol/files/messages';
import { type KeyboardEvent, useCallback, useEffect, useId, useState } from 'react';
import { openFile } from '../../cards/file/open-file.ts';
import { holdFiles } from '../../cards/files/project-files.ts';
import { Marked } from '../../ui/Marked.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useClient } from '../client-context.tsx';
import { faultText } from '../deck-actions.ts';
import { projectAtHand } from '../dock/picker-rows.ts';
import { recentFiles } from './recent-files.ts';

export function QuickOpen({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const id = useId();
  const deck = client.deck.get();
  const project = deck && projectAtHand(deck);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const { found, fault } = useFound(project?.id, query);
  const show = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  const open = (file: FoundFile | undefined) => {
    if (!file || !project) return;
    onClose();
    // The line may be typed as well: `name:12`.
    const line = /:(\d{1,7})$/.exec(query)?.[1];
    openFile(project.id, file.path, line === undefined ? undefined : Number(line));
    recentFiles(project.id).add(file.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      open(found[chosen]);
    }
    event.stopPropagation();
  };
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);
  return (
    <dialog
      ref={show}
      className="palette"
      aria-label="Quick open"
      onClose={onClose}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="palette-body">
        <input
          className="palette-query"
          role="combobox"
          aria-label={`Open a file of ${project?.name ?? 'the project'}`}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          aria-autocomplete="list"
          placeholder={project ? `Open a file of ${project.name}` : 'There is no project yet'}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
        />
        <div id={id} role="listbox" aria-label="Files" className="palette-list">
          {found.map((file, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the box's, which keeps the focus
            <div
              key={file.path}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className="palette-row"
              onMouseMove={() => index === chosen || setChosen(index)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => open(file)}
            >
              <FileName file={file} />
            </div>
          ))}
        </div>
        {found.length === 0 && query !== '' ? (
          <p className="palette-none">{fault ?? 'No file is called that.'}</p>
        ) : null}
      </div>
    </dialog>
  );
}

function FileName({ file: { path, at } }: { file: FoundFile }) {
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start);
  // Marks count letters: a name with something made visible in it is shown without.
  const shown = visibleText(name);
  return (
    <>
      <span className="truncate">
        {shown === name ? <Marked text={name} at={at.map((place) => place - start)} /> : shown}
      </span>
      <span className="palette-detail truncate">{visibleText(path.slice(0, start))}</span>
    </>
  );
}

/** The last answer stays until the next one is here, so that the list does not flicker. */
function useFound(project: string | undefined, query: string) {
  const client = useClient();
  const [answer, setAnswer] = useState<{ found: readonly FoundFile[]; fault?: string }>({ found: [] });
  useEffect(() => {
    if (project === undefined) return;
    const files = holdFiles(client, project);
    return files.release;
  }, [client, project]);
  useEffect(() => {
    if (project === undefined) return;
    const files = holdFiles(client, project);
    let isOver = false;
    files
      .ask('find', { query: query.replace(/:\d*$/, '') })
      .then(
        ({ files: found }) =>
          !isOver && setAnswer({ found: query === '' ? recentFiles(project).first(found) : found }),
        (error: unknown) => !isOver && setAnswer({ found: [], fault: faultText(error) }),
      )
      .finally(files.release);
    return () => {
      isOver = true;
    };
  }, [client, project, query]);
  return answer;
}
