/** Inserts saved prompts into the message box (D49), after asking for their variables. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import { type SavedPrompt, variablesOf, wantedPrompt } from '../../../../kit/prompts.ts';
import { insertText } from '../text-box.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SavedPromptInsertion {
  /** The prompt whose variables are being filled in. */
  readonly asked: SavedPrompt | undefined;
  /** `range` is replaced; the selection if it is undefined. */
  insert(prompt: SavedPrompt, range?: Range): void;
  done(text: string): void;
  cancel(): void;
}

export function useSavedPrompt(
  box: RefObject<HTMLTextAreaElement | null>,
  session: string,
): SavedPromptInsertion {
  const [asked, setAsked] = useState<SavedPrompt>();
  /** Where it goes, unless the message changes before. */
  const [at, setAt] = useState<{ range: Range | undefined; text: string }>();
  const write = (text: string, range?: Range) => {
    if (!box.current) return;
    const { selectionStart, selectionEnd } = box.current;
    insertText(box.current, range?.start ?? selectionStart, range?.end ?? selectionEnd, text);
  };
  const insert = (prompt: SavedPrompt, range?: Range) => {
    if (variablesOf(prompt.text).length === 0) write(prompt.text, range);
    else {
      setAt({ range, text: box.current?.value ?? '' });
      setAsked(prompt);
    }
  };
  const latest = useRef(insert);
  latest.current = insert;
  useEffect(
    () =>
      wantedPrompt.subscribe(() => {
        const wanted = wantedPrompt.get();
        if (wanted?.session !== session) return;
        wantedPrompt.set(undefined);
        latest.current(wanted.prompt);
      }),
    [session],
  );
  return {
    asked,
    insert,
    done(text) {
      setAsked(undefined);
      write(text, at?.text === box.current?.value ? at?.range : undefined);
    },
    cancel() {
      setAsked(undefined);
      box.current?.focus();
    },
  };
}
