import { Search, SunMoon } from 'lucide-react';
import { keyNames } from '../kit/keys/key-names.ts';
import { keymap } from '../kit/keys/keymap.ts';
import type { ShellDialog } from '../kit/shell-dialog.ts';
import { THEME_LABELS, THEMES, theme } from '../kit/theme.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { InboxButton } from './attention/InboxButton.tsx';
import { ConnectionState } from './ConnectionState.tsx';

/** The buttons at the right end of the topmost tab strip. */
export function DeckCorner({ onDialog }: { onDialog: (dialog: ShellDialog) => void }) {
  const chosen = useReadable(theme);
  const press = useReadable(keymap).get('palette.open');
  return (
    <div className="corner">
      <ConnectionState />
      <InboxButton />
      <IconButton
        icon={Search}
        label="Command palette"
        title={press ? `Command palette (${keyNames(press).join('+')})` : 'Command palette'}
        onClick={() => onDialog({ kind: 'palette' })}
      />
      <Menu
        label="Theme"
        title="Theme"
        className="icon-button corner-theme"
        choices={THEMES.map((name) => ({
          id: name,
          label: THEME_LABELS[name],
          checked: name === chosen,
          onChoose: () => theme.set(name),
        }))}
      >
        <Icon icon={SunMoon} />
      </Menu>
    </div>
  );
}
