/** Dictates into the message on a touch screen, where the browser has speech recognition (C25). */
import { Mic } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { visibleText } from '../../../kit/visible-text.ts';
import { IconButton } from '../../../ui/IconButton.tsx';
import { type Dictation, dictate, mayDictate } from './speech.ts';
import { insertText } from './text-box.ts';

const ConfirmDialog = lazyComponent(() =>
  import('../../../ui/ConfirmDialog.tsx').then((part) => part.ConfirmDialog),
);

export function DictateButton({ box }: { box: RefObject<HTMLTextAreaElement | null> }) {
  const [isAsking, setAsking] = useState(false);
  const [isListening, setListening] = useState(false);
  /** Words that can still change, or an error. */
  const [note, setNote] = useState('');
  const running = useRef<Dictation>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const insert = (text: string) => {
    if (!box.current || text === '') return;
    const { value, selectionStart: start, selectionEnd: end } = box.current;
    const isJoined = start > 0 && !/\s$/.test(value.slice(0, start));
    insertText(box.current, start, end, `${isJoined ? ' ' : ''}${text}`);
  };
  const start = () => {
    let words = '';
    running.current = dictate({
      recognized(text, isFinal) {
        words = isFinal ? '' : text;
        setNote(words);
        if (isFinal) insert(text);
      },
      ended(fault) {
        // Stopped in the middle of a sentence.
        insert(words);
        running.current = undefined;
        setListening(false);
        setNote(fault ?? '');
      },
    });
    setListening(running.current !== undefined);
    setNote('');
  };
  const toggle = () => {
    if (isListening) running.current?.stop();
    else if (mayDictate.get()) start();
    else setAsking(true);
  };
  return (
    <>
      <IconButton
        icon={Mic}
        className="dictate"
        label={isListening ? 'Stop dictation' : 'Dictate'}
        aria-pressed={isListening}
        onClick={toggle}
      />
      {isListening || note !== '' ? (
        <span className="dictate-note truncate" role="status">
          {note === '' ? 'Listening…' : visibleText(note)}
        </span>
      ) : null}
      {isAsking ? (
        <ConfirmDialog
          title="Dictate with this browser?"
          text="Your browser turns speech into text. Most browsers send the sound to a service of their maker for that. Tugdeck gets the text only."
          action="Dictate"
          onConfirm={() => {
            mayDictate.set(true);
            start();
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}
