import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { RestoreRecord } from '@tugdeck/protocol/conversation/restore';
import { recordOf } from '@tugdeck/protocol/conversation/restore-state';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { exactTime, plural } from '../../kit/format.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useSelected } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { useCard, useFold } from '../conversation/card-context.tsx';
import { fillBox } from '../prompt/fill-box.ts';
import { asideFold, isUndo, restoreTitle } from './restore-records.ts';
import { undoRestore } from './undo-restore.ts';

const AttachHistory = lazyComponent(() => import('./AttachHistory.tsx').then((part) => part.AttachHistory));

/** The line of a finished restore: what it did, its hidden messages, and undo or redo (T14, T15, T22). */
export function RestoreLine({ restore }: { restore: string }) {
  const { channel } = useCard();
  const [isOpen, setOpen] = useFold(asideFold(restore), false);
  const [state, setState] = useState<'idle' | 'busy' | { fault: string }>('idle');
  const conversation = useSelected(channel.view, (view) => view.conversation);
  const record = recordOf(conversation, restore);
  if (!record) return null;
  const undo = async (button: HTMLElement) => {
    const box = composerOf(button);
    setState('busy');
    try {
      await undoRestore(channel, record);
      setState('idle');
      clearIfRestored(box, conversation, record);
    } catch (error) {
      setState({ fault: faultText(error) });
    }
  };
  const hidden = conversation.asides.some((aside) => aside.restore === restore)
    ? hiddenMessages(conversation, record)
    : 0;
  const canUndo = record.state !== 'abandoned';
  const { memory } = conversation;
  const isLast = conversation.restores.at(-1)?.id === restore;
  return (
    <article className="entry" aria-label="Restore" data-entry-kind="restore">
      <div className="notice restore-line" title={exactTime(record.at)}>
        <span className="notice-text">
          {restoreTitle(conversation, record)}
          {hidden > 0 ? ` · ${plural(hidden, 'message')} ${isOpen ? 'shown above' : 'hidden'}` : null}
        </span>
        {hidden > 0 ? (
          <Button look="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        ) : null}
        {canUndo ? (
          <Button
            look="link"
            disabled={state === 'busy' || conversation.turn !== null}
            onClick={(event) => undo(event.currentTarget)}
          >
            {state === 'busy' ? 'Working…' : isUndo(conversation, record) ? 'Redo' : 'Undo'}
          </Button>
        ) : null}
        {isLast && memory?.kind === 'told' ? <AttachHistory before={memory.upTo} /> : null}
        {typeof state === 'object' ? (
          <span className="fault" role="alert">
            {state.fault}
          </span>
        ) : null}
      </div>
    </article>
  );
}

function composerOf(element: HTMLElement): HTMLTextAreaElement | null {
  return (
    element.closest('.card')?.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message"]') ?? null
  );
}

/** The message returned to the conversation, so its copy in the composer goes, unless the user edited it. */
function clearIfRestored(
  box: HTMLTextAreaElement | null,
  conversation: Conversation,
  { target, parts }: RestoreRecord,
): void {
  if (!box || !parts.conversation) return;
  for (const entry of entriesFrom(conversation.entries, conversation.from)) {
    if (entry.id !== target.entry || entry.kind !== 'user' || entry.text !== box.value) continue;
    fillBox(box, '');
  }
}

/** Counts the messages if all entries are loaded; otherwise all entries count. */
function hiddenMessages(conversation: Conversation, { aside }: RestoreRecord): number {
  if (!aside) return 0;
  if (aside.from < conversation.from) return aside.to - aside.from;
  let count = 0;
  for (const { kind, parent, seq } of entriesFrom(conversation.entries, aside.from)) {
    if (seq >= aside.to) break;
    if (parent === undefined && (kind === 'user' || kind === 'text')) count += 1;
  }
  return count;
}
