/** Queued messages (C9): edit, move (also with Alt+arrows), steer, withdraw. */
import type { QueuedPrompt } from '@tugdeck/protocol/conversation/session-info';
import { ArrowDown, ArrowUp, CornerDownRight, Paperclip, Pencil, X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { useClient } from '../../../kit/client-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';
import { plural } from '../../../kit/format.ts';
import { useSelected } from '../../../kit/use-readable.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { IconButton } from '../../../ui/IconButton.tsx';
import { QueuedText } from './QueuedText.tsx';

export interface QueueListProps {
  queue: readonly QueuedPrompt[];
  canSteer: boolean;
  /** "Queued · 2 ahead" while the first message waits for a slot (D40). */
  place?: string | undefined;
}

export function QueueList({ queue, canSteer, place = 'Next' }: QueueListProps) {
  const { channel } = useCard();
  const isOffline = useSelected(
    useClient().status,
    ({ state }) => state !== 'online' && state !== 'connecting',
  );
  const list = useRef<HTMLOListElement>(null);
  const [editing, setEditing] = useState<string>();
  const [fault, setFault] = useState<string>();
  if (queue.length === 0) return null;
  const send = (command: Parameters<typeof channel.send>[0]) => {
    setFault(undefined);
    channel.send(command).catch((error) => setFault(faultText(error)));
  };
  const move = (prompt: string, to: number) => {
    if (to >= 0 && to < queue.length) send({ kind: 'prompt.move', prompt, to });
  };
  const onKeyDown = (event: KeyboardEvent, prompt: string, at: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (event.altKey) move(prompt, at + step);
    else {
      list.current?.children[at + step]?.querySelector<HTMLElement>('.queued-text')?.focus();
    }
  };
  return (
    <ol ref={list} className="queue" aria-label="Queued messages">
      {queue.map(({ id, text, attachments }, at) => (
        <li key={id} className="queued">
          <span className="queued-mark">
            {at > 0 ? at + 1 : isOffline ? 'Waiting for connection' : place}
          </span>
          <QueuedText
            text={text}
            isEditing={editing === id}
            onEdit={() => setEditing(id)}
            onKeyDown={(event) => onKeyDown(event, id, at)}
            onEdited={(next) => {
              setEditing(undefined);
              if (next !== undefined) send({ kind: 'prompt.edit', prompt: id, text: next });
            }}
          />
          {attachments?.length ? (
            <span className="queued-files" title={plural(attachments.length, 'file')}>
              <Icon icon={Paperclip} size={12} /> {attachments.length}
            </span>
          ) : null}
          {canSteer ? (
            <IconButton
              icon={CornerDownRight}
              label="Steer with this message"
              onClick={() => send({ kind: 'prompt.steer', prompt: id })}
            />
          ) : null}
          {queue.length > 1 ? (
            <>
              <IconButton
                icon={ArrowUp}
                label="Move up"
                disabled={at === 0}
                onClick={() => move(id, at - 1)}
              />
              <IconButton
                icon={ArrowDown}
                label="Move down"
                disabled={at === queue.length - 1}
                onClick={() => move(id, at + 1)}
              />
            </>
          ) : null}
          <IconButton icon={Pencil} label="Edit" onClick={() => setEditing(id)} />
          <IconButton
            icon={X}
            label="Remove message"
            onClick={() => send({ kind: 'prompt.withdraw', prompt: id })}
          />
        </li>
      ))}
      {fault ? (
        <li className="fault" role="alert">
          {fault}
        </li>
      ) : null}
    </ol>
  );
}
