/** The prompts of the conversation, newest last; choosing one scrolls to it. Older ones are loaded on request. */
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import { ListTree } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import type { Reading } from '../../../features/conversation/reading.ts';
import { exactTime } from '../../../kit/format.ts';
import { useSelected } from '../../../kit/use-readable.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { placeBeside } from '../../../ui/place-beside.ts';

export function Outline() {
  const { channel, reading } = useCard();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [prompts, setPrompts] = useState<readonly UserEntry[]>([]);
  const [isLoading, setLoading] = useState(false);
  const hasOlder = useSelected(channel.view, (view) => view.hasOlder);

  const onToggle = (isOpen: boolean) => {
    if (!isOpen || !button.current || !panel.current) return;
    setPrompts(promptsOf(reading));
    placeBeside(panel.current, button.current.getBoundingClientRect());
    requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>('li:last-child button')?.focus());
  };
  const loadMore = async () => {
    setLoading(true);
    const before = prompts.length;
    await reading.load(() => promptsOf(reading).length > before, new AbortController().signal);
    setPrompts(promptsOf(reading));
    setLoading(false);
  };
  const go = (entry: UserEntry) => {
    panel.current?.hidePopover();
    void reading.jumpTo(entry.id);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-label="Outline"
        title="Outline of your messages"
        popoverTarget={id}
      >
        <Icon icon={ListTree} />
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="menu outline"
        role="dialog"
        aria-label="Outline"
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        {hasOlder ? (
          <Button look="link" className="outline-more" disabled={isLoading} onClick={loadMore}>
            {isLoading ? 'Loading…' : 'Earlier messages'}
          </Button>
        ) : null}
        {prompts.length === 0 ? <p className="muted outline-empty">No messages yet</p> : null}
        <ol className="outline-list">
          {prompts.map((entry) => (
            <li key={entry.id}>
              <button
                type="button"
                className="menu-item outline-item"
                title={exactTime(entry.at)}
                onClick={() => go(entry)}
              >
                <span className="truncate">{entry.text.split('\n')[0] || 'Attachment'}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}

function promptsOf(reading: Reading): UserEntry[] {
  return reading
    .entries()
    .filter((entry): entry is UserEntry => entry.kind === 'user' && entry.parent === undefined);
}
