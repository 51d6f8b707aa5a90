/**
 * The composer: keys, draft, growth. It knows whether something runs only to name its button; what a message
 * becomes (a turn or a place in the queue) is decided by the conversation.
 */
import { ArrowUp, ListPlus, Square } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import { useClient } from '../../../app/client-context.tsx';
import { faultText } from '../../../app/deck-actions.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { useCard } from '../card-context.tsx';
import { composerAction } from './composer-keys.ts';
import { grow } from './grow.ts';
import { type HistoryPlace, newerMessage, olderMessage } from './history.ts';

export interface ComposerProps {
  box: RefObject<HTMLTextAreaElement | null>;
  isRunning: boolean;
  isStopping: boolean;
  history: () => readonly string[];
  onSent: () => void;
}

const DRAFT: HistoryPlace = { at: -1, text: '' };

export function Composer({ box, isRunning, isStopping, history, onSent }: ComposerProps) {
  const client = useClient();
  const { session, channel } = useCard();
  const [text, setText] = useState(() => client.draft(session));
  const [place, setPlace] = useState(DRAFT);
  const [fault, setFault] = useState<string>();
  useLayoutEffect(() => {
    if (box.current) grow(box.current);
  });
  // Only where it steals nothing: a card opened by a click or a reload, not on a phone, where a keyboard would rise.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) box.current?.focus({ preventScroll: true });
  }, [box]);

  const write = (next: string) => {
    setText(next);
    client.saveDraft(session, next);
  };
  const refused = (error: unknown) => setFault(faultText(error));
  const send = () => {
    if (text.trim() === '') return;
    setFault(undefined);
    channel.send({ kind: 'prompt.send', text }).catch((error) => {
      refused(error);
      if (box.current?.value === '') write(text);
    });
    write('');
    setPlace(DRAFT);
    onSent();
    box.current?.focus();
  };
  const stop = () => {
    channel.send({ kind: 'turn.cancel' }).catch(refused);
    box.current?.focus();
  };
  const recall = (next: HistoryPlace | undefined) => {
    if (!next) return;
    setPlace(next);
    write(next.text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const action = composerAction({
      key: event.key,
      isShift: event.shiftKey,
      isCommand: event.ctrlKey && !event.metaKey,
      isComposing: event.nativeEvent.isComposing,
      text,
      hasSelection: selectionStart !== selectionEnd || (getSelection()?.toString() ?? '') !== '',
      isRunning,
      isRecalled: place.at >= 0 && text === place.text,
    });
    if (!action) return;
    event.preventDefault();
    if (action === 'send') send();
    else if (action === 'stop') stop();
    else recall(action === 'older' ? olderMessage(history(), place) : newerMessage(history(), place));
  };

  const isBlank = text.trim() === '';
  return (
    <>
      {fault ? (
        <p className="composer-fault fault" role="alert">
          {fault}
        </p>
      ) : null}
      <div className="composer-box" data-running={isRunning}>
        <textarea
          ref={box}
          rows={1}
          aria-label="Message"
          placeholder="Message"
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
          onFocus={() => channel.wake()}
        />
        <div className="composer-buttons">
          {isRunning ? (
            <button
              type="button"
              className="round"
              data-look="stop"
              disabled={isStopping}
              title="Stop (Esc)"
              onClick={stop}
            >
              <Icon icon={Square} size={14} />
              <span>Stop</span>
            </button>
          ) : null}
          <button
            type="button"
            className="round"
            data-look="send"
            disabled={isBlank}
            title={isRunning ? 'Queue: sent when this turn ends (Enter)' : 'Send (Enter)'}
            onClick={send}
          >
            <Icon icon={isRunning ? ListPlus : ArrowUp} />
            <span>{isRunning ? 'Queue' : 'Send'}</span>
          </button>
        </div>
      </div>
    </>
  );
}
