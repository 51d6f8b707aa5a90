/** The command palette (D4): finds sessions, projects and actions. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { type KeyboardEvent, useState } from 'react';
import { openFile } from '../../features/files/open-file.ts';
import { useClient } from '../../kit/client-context.tsx';
import { actionForKey } from '../../kit/keys/keymap.ts';
import { previousSession } from '../../kit/layout/front-session.ts';
import { offeredPrompt } from '../../kit/offered-actions.ts';
import { persisted, stringList } from '../../kit/persisted.ts';
import { atHome, showSession } from '../../kit/route.ts';
import { isSeen } from '../../kit/session-state.ts';
import type { ShellDialog } from '../../kit/shell-dialog.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { useSessionState } from '../../kit/use-session-state.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import { ListDialog } from '../../ui/ListDialog.tsx';
import { MatchedText } from '../../ui/MatchedText.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';
import { currentProject } from '../dock/picker-rows.ts';
import { lineOf, recentFiles, useFoundFiles } from '../quick-open/find-files.ts';
import { QuickOpen } from '../quick-open/QuickOpen.tsx';
import { useTyped } from '../typed-ahead.ts';
import { extraItems, type FoundItem, findItems, type PaletteItem, withRecent } from './palette-items.ts';
import { usePaletteItems } from './use-palette-items.ts';

const recentItems = persisted<readonly string[]>('palette', stringList, { isShared: true });

interface PaletteProps {
  items: readonly PaletteItem[];
  onSearch: (query: string) => void;
  onClose: () => void;
}

export function Palette({ items, onSearch, onClose }: PaletteProps) {
  const [query, setQuery] = useTyped();
  /** The action whose argument is chosen. */
  const [outer, setOuter] = useState<string>();
  const isHome = useReadable(atHome);
  const prompt = useReadable(offeredPrompt);
  const list = items.find(({ id }) => id === outer)?.next;
  const matches = findItems(list ?? items, query, list ? [] : recentItems.get());
  const others = {
    agent: isHome ? undefined : prompt?.agent,
    ask: (text: string) => prompt?.fill(text),
    search: onSearch,
  };
  const files = useFileItems(list ? '' : query);
  // Files are last: they arrive later, and no row moves.
  const found = list ? matches : [...matches, ...extraItems(query, others, matches.length > 0), ...files];
  const run = (item: FoundItem) => {
    // Files have their own list.
    if (item.group !== 'File') recentItems.set(withRecent(recentItems.get(), outer ?? item.id));
    if (item.next) {
      setOuter(item.id);
      setQuery('');
      return;
    }
    onClose();
    item.run();
  };
  /** The palette's key, pressed twice, shows the previous session. */
  const back = (event: KeyboardEvent) => {
    event.preventDefault();
    onClose();
    const session = previousSession();
    if (session !== undefined) showSession(session);
  };
  if (query.startsWith('/') && !list) return <QuickOpen query={query.slice(1)} onClose={onClose} />;
  return (
    <ListDialog
      name="Command palette"
      label={list ? 'Choose a value' : 'Search sessions, projects and commands'}
      query={query}
      onQuery={setQuery}
      found={found}
      keyOf={({ id }) => id}
      draw={(item) => (
        <>
          {item.row ? <RowGlyph row={item.row} /> : null}
          <span className="truncate">
            <MatchedText text={item.label} at={item.match.at} />
          </span>
          {item.detail ? <span className="list-detail truncate">{item.detail}</span> : null}
          <span className="list-aside">{item.keys ?? asideOf(item)}</span>
        </>
      )}
      onChoose={run}
      onClose={onClose}
      onKey={(event) => query === '' && !list && isOpenKey(event) && back(event)}
      note={found.length === 0 ? <p className="list-note">No matches</p> : null}
    />
  );
}

/** The glyph of a session, and the words of an action or a project, say what they are. */
function asideOf({ group }: PaletteItem): string {
  const isNamed = group === 'This session' || group === 'File' || group === 'Archived' || group === 'Trash';
  return isNamed ? group : '';
}

/** Letters from which on files are found too. */
const FILE_LETTERS = 2;
const MAX_FILES = 8;

/** Files of the current project (D44). */
function useFileItems(query: string): readonly FoundItem[] {
  const deck = useClient().deck.get();
  const project = deck && currentProject(deck)?.id;
  const isWanted = query.trim().length >= FILE_LETTERS && !/^[>#/]/.test(query);
  const { found } = useFoundFiles(isWanted ? project : undefined, isWanted ? query.trim() : '');
  if (!isWanted || project === undefined) return [];
  return found.slice(0, MAX_FILES).map(
    ({ path }): FoundItem => ({
      id: `file-${path}`,
      group: 'File',
      label: visiblePath(path.slice(path.lastIndexOf('/') + 1)),
      detail: visiblePath(path.slice(0, path.lastIndexOf('/') + 1)),
      match: { score: 0, at: [] },
      run: () => {
        openFile(project, path, lineOf(query));
        recentFiles(project).add(path);
      },
    }),
  );
}

function isOpenKey({ nativeEvent }: KeyboardEvent): boolean {
  return actionForKey(nativeEvent, 'page', { isTyping: true }) === 'palette.open';
}

function RowGlyph({ row }: { row: SessionRow }) {
  return <StateGlyph state={useSessionState(row)} isSeen={isSeen(row)} />;
}

interface CommandPaletteProps {
  onDialog: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** Subscribes to the deck and the card only while it is open. */
export function CommandPalette({ onDialog, onClose }: CommandPaletteProps) {
  const onSearch = (query: string) => onDialog({ kind: 'search', query });
  return <Palette items={usePaletteItems()} onSearch={onSearch} onClose={onClose} />;
}
