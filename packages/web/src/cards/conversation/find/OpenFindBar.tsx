import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { useCardFrame } from '../../../kit/layout/card-frame.tsx';
import { useReadable } from '../../../kit/use-readable.ts';
import { IconButton } from '../../../ui/IconButton.tsx';
import { createFinder, type FindState } from './finder.ts';

/** Find in conversation, including collapsed, unrendered and unloaded entries. Loaded when first used. */
export function OpenFindBar() {
  const { channel, reading } = useCard();
  const frame = useCardFrame();
  const [finder] = useState(() => createFinder(reading, () => channel.view.get().hasOlder));
  const state = useReadable(finder.state);
  useEffect(
    () => () => {
      finder.stop();
      reading.setQuery('');
    },
    [finder, reading],
  );
  const close = () => {
    reading.setFinding(false);
    frame.host()?.querySelector<HTMLElement>('.entry-scroll')?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter') finder.step(event.shiftKey ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className="find-bar" aria-label="Find in conversation" onKeyDown={onKeyDown}>
      <input
        ref={focusAtOnce}
        className="find-input"
        type="text"
        aria-label="Find"
        placeholder="Find"
        value={state.query}
        onChange={(event) => finder.search(event.target.value)}
      />
      <output className="find-words">{findStatus(state)}</output>
      <IconButton icon={ChevronUp} label="Previous match" onClick={() => finder.step(-1)} />
      <IconButton icon={ChevronDown} label="Next match" onClick={() => finder.step(1)} />
      <IconButton icon={X} label="Close find" onClick={close} />
    </search>
  );
}

function focusAtOnce(input: HTMLInputElement | null): void {
  input?.focus();
}

function findStatus({ query, matches, current, isLoading, searched, isWhole }: FindState): string {
  if (query === '') return '';
  if (isLoading) return `Searched ${searched.toLocaleString('en')}…`;
  if (matches.length === 0) return searched === 0 ? '' : 'No matches';
  const at = matches.indexOf(current ?? '');
  // Counted from the newest, where the reader is.
  return `${at < 0 ? '–' : matches.length - at} of ${matches.length}${isWhole ? '' : '+'}`;
}
