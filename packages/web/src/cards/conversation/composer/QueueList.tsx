import type { QueuedPrompt } from '@tugdeck/protocol/conversation/session-facts';
import { ArrowDown, ArrowUp, Pencil, X } from 'lucide-react';
import { useState } from 'react';
import { faultText } from '../../../app/deck-actions.ts';
import { IconButton } from '../../../ui/IconButton.tsx';
import { useCard } from '../card-context.tsx';

/** Messages that wait for the turn to end: editable, movable, withdrawable. */
export function QueueList({ queue }: { queue: readonly QueuedPrompt[] }) {
  const { channel } = useCard();
  const [editing, setEditing] = useState<string>();
  const [fault, setFault] = useState<string>();
  if (queue.length === 0) return null;
  const send = (command: Parameters<typeof channel.send>[0]) =>
    channel.send(command).catch((error) => setFault(faultText(error)));
  const edit = (prompt: string, before: string, text: string) => {
    setEditing(undefined);
    if (text.trim() !== '' && text !== before) send({ kind: 'prompt.edit', prompt, text });
  };
  return (
    <ol className="queue" aria-label="Queued messages">
      {queue.map(({ id, text }, at) => (
        <li key={id} className="queued">
          <span className="queued-mark">{at === 0 ? 'next' : at + 1}</span>
          {editing === id ? (
            <input
              className="field"
              aria-label="Queued message"
              defaultValue={text}
              ref={(input) => input?.focus()}
              onBlur={(event) => edit(id, text, event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') edit(id, text, event.currentTarget.value);
                if (event.key === 'Escape') setEditing(undefined);
              }}
            />
          ) : (
            <span className="queued-text truncate" title={text}>
              {text}
            </span>
          )}
          <IconButton
            icon={ArrowUp}
            label="Move up"
            disabled={at === 0}
            onClick={() => send({ kind: 'prompt.move', prompt: id, to: at - 1 })}
          />
          <IconButton
            icon={ArrowDown}
            label="Move down"
            disabled={at === queue.length - 1}
            onClick={() => send({ kind: 'prompt.move', prompt: id, to: at + 1 })}
          />
          <IconButton icon={Pencil} label="Edit" onClick={() => setEditing(id)} />
          <IconButton
            icon={X}
            label="Withdraw"
            onClick={() => send({ kind: 'prompt.withdraw', prompt: id })}
          />
        </li>
      ))}
      {fault ? <li className="fault">{fault}</li> : null}
    </ol>
  );
}
