import { Search } from 'lucide-react';
import { keyText } from '../kit/keys/key-names.ts';
import { keymap } from '../kit/keys/keymap.ts';
import type { ShellDialog } from '../kit/shell-dialog.ts';
import { useReadable } from '../kit/use-readable.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { ConnectionState } from './ConnectionState.tsx';

/** The buttons at the right end of the tab strip on a phone, which has no top bar beside a card. */
export function DeckCorner({ onDialog }: { onDialog: (dialog: ShellDialog) => void }) {
  const press = useReadable(keymap).get('palette.open');
  return (
    <div className="corner">
      <ConnectionState isBrief />
      <IconButton
        icon={Search}
        label="Command palette"
        title={press ? `Command palette (${keyText(press)})` : 'Command palette'}
        onClick={() => onDialog({ kind: 'palette' })}
      />
    </div>
  );
}
