import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ChevronLeft } from 'lucide-react';
import { useClient } from '../../kit/client-context.tsx';
import { titleOf } from '../../kit/projects.ts';
import { isPanelOpen } from '../../kit/session-panel.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { PhonePlace } from '../dock/PhonePlace.tsx';

/** The title bar of the panel on a phone, as that of the conversation, with the way back to it. */
export function PhoneHead({ row }: { row: SessionRow }) {
  const deck = useReadable(useClient().deck);
  return (
    <>
      <IconButton icon={ChevronLeft} label="Back" onClick={() => isPanelOpen.set(false)} />
      <div className="phone-title-text">
        <h2 className="panel-title truncate">{titleOf(row)}</h2>
        <PhonePlace deck={deck} row={row} />
      </div>
    </>
  );
}
