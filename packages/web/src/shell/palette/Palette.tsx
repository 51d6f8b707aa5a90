/** The command palette (D4): finds sessions, projects and actions. */
import { useState } from 'react';
import { persisted, stringList } from '../../kit/persisted.ts';
import type { ShellDialog } from '../../kit/shell-dialog.ts';
import { ListDialog } from '../../ui/ListDialog.tsx';
import { MatchedText } from '../../ui/MatchedText.tsx';
import { takeTyped } from '../typed-ahead.ts';
import { type FoundItem, findItems, type PaletteItem, withRecent } from './palette-items.ts';
import { usePaletteItems } from './use-palette-items.ts';

const recentItems = persisted<readonly string[]>('palette', stringList, { isShared: true });

interface PaletteProps {
  items: readonly PaletteItem[];
  onClose: () => void;
}

export function Palette({ items, onClose }: PaletteProps) {
  const [query, setQuery] = useState(takeTyped);
  const found = findItems(items, query, recentItems.get());
  const run = (item: FoundItem) => {
    recentItems.set(withRecent(recentItems.get(), item.id));
    onClose();
    item.run();
  };
  return (
    <ListDialog
      name="Command palette"
      label="Search sessions, projects and commands"
      query={query}
      onQuery={setQuery}
      found={found}
      keyOf={({ id }) => id}
      draw={(item) => (
        <>
          <span className="truncate">
            <MatchedText text={item.label} at={item.match.at} />
          </span>
          {item.detail ? <span className="list-detail truncate">{item.detail}</span> : null}
          <span className="list-aside">{item.keys ?? item.group}</span>
        </>
      )}
      onChoose={run}
      onClose={onClose}
      note={found.length === 0 ? <p className="list-note">No matches</p> : null}
    />
  );
}

interface CommandPaletteProps {
  onDialog: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** Subscribes to the deck and the card only while it is open. */
export function CommandPalette({ onDialog, onClose }: CommandPaletteProps) {
  return <Palette items={usePaletteItems(onDialog)} onClose={onClose} />;
}
