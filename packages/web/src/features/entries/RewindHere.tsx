import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { requestControl } from '../conversation/request-control.ts';

/** Restores files to their state before this message, after a preview (A3). The conversation stays. */
export function RewindHere({ entry, onFault }: { entry: UserEntry; onFault: (fault: string) => void }) {
  const { channel } = useCard();
  const [preview, setPreview] = useState<string>();
  const canRewind = useSelected(
    channel.view,
    ({ conversation: { facts, turn } }) => facts.controls?.includes('rewind') === true && turn === null,
  );
  if (!canRewind) return null;
  const failed = (error: unknown) => onFault(faultText(error));
  const loadPreview = async () => {
    const { text, status } = await requestControl(channel, 'rewind.preview', { prompt: entry.id });
    if (status === 'complete' && /^\d+ files?/.test(String(text))) setPreview(String(text));
    else onFault(String(text));
  };
  const rewind = () => {
    channel.send({ kind: 'agent.control', what: 'rewind', input: { prompt: entry.id } }).catch(failed);
  };
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Restore files"
        title="Restore files to before this message"
        onClick={() => loadPreview().catch(failed)}
      >
        <Icon icon={Undo2} size={14} />
      </button>
      {preview === undefined ? null : (
        <ConfirmDialog
          title="Restore files?"
          text={preview}
          action="Restore"
          onConfirm={rewind}
          onClose={() => setPreview(undefined)}
        />
      )}
    </>
  );
}
