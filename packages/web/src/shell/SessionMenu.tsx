import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Ellipsis } from 'lucide-react';
import { useClient } from '../kit/client-context.tsx';
import { showToTheSide } from '../kit/deck-actions.ts';
import { pinned, togglePin } from '../kit/pinned.ts';
import { givenTitle, titleOf } from '../kit/projects.ts';
import { archiveSessions, deleteSessions } from '../kit/session-actions.ts';
import { openShellDialog } from '../kit/shell-dialog.ts';
import { PHONE, useMedia } from '../kit/use-media.ts';
import { useSelected } from '../kit/use-readable.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';

export interface SessionMenuProps {
  row: SessionRow;
  onRename: () => void;
}

/** The menu of a session in the list. External sessions cannot be deleted here. */
export function SessionMenu({ row, onRename }: SessionMenuProps) {
  const client = useClient();
  const isPinned = useSelected(pinned, (pins) => pins.includes(row.id));
  const isPhone = useMedia(PHONE);
  const toSide = { id: 'side', label: 'Open to the side', onChoose: () => showToTheSide(row.id) };
  const toTrash = {
    id: 'delete',
    label: 'Delete',
    detail: 'Kept in the trash for 30 days',
    onChoose: () => deleteSessions(client, [row]),
  };
  const handOff = {
    id: 'handoff',
    label: 'Hand off…',
    detail: 'To the checkout or a workspace',
    onChoose: () => openShellDialog({ kind: 'handoff', session: row.id }),
  };
  return (
    <Menu
      label={`Actions for ${givenTitle(row) ?? 'untitled session'}`}
      heading={titleOf(row)}
      tabIndex={-1}
      className="icon-button session-more"
      choices={[
        ...(isPhone ? [] : [toSide]),
        { id: 'rename', label: 'Rename', onChoose: onRename },
        { id: 'pin', label: isPinned ? 'Unpin' : 'Pin', onChoose: () => togglePin(row.id) },
        ...(row.origin === 'foreign' ? [] : [handOff]),
        {
          id: 'tags',
          label: 'Tags…',
          onChoose: () => openShellDialog({ kind: 'tags', session: row.id }),
        },
        { id: 'archive', label: 'Archive', onChoose: () => archiveSessions(client, [row]) },
        ...(row.origin === 'foreign' ? [] : [toTrash]),
      ]}
    >
      <Icon icon={Ellipsis} />
    </Menu>
  );
}
