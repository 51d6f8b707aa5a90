import type { CommandEntry, TextEntry, ThinkingEntry } from '@tugdeck/protocol/conversation/entries';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useCallback, useState } from 'react';
import { elapsed } from '../../kit/format.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visibleProse, visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useFold } from '../conversation/card-context.tsx';
import { StreamedText } from '../conversation/StreamedText.tsx';
import { lastLine } from '../tool-results/lines.ts';
import { MoreText } from '../tool-results/MoreText.tsx';
import { CopyButton } from './CopyButton.tsx';
import { contextParts } from './context-parts.ts';
import { MissingContext } from './MissingContext.tsx';

export function TextView({ entry }: { entry: TextEntry }) {
  // A long answer that was streamed stays expanded: the user has just read its end.
  const [isKept, setKept] = useState(false);
  const keep = useCallback(() => setKept(true), []);
  return (
    <>
      <StreamedText id={entry.id} onKept={keep} />
      {entry.more && !isKept ? <MoreText more={entry.more} /> : null}
      {entry.forgotten ? <MissingContext /> : null}
      {entry.status === 'partial' ? null : (
        <CopyButton id={entry.id} text={entry.text} at={entry.at} note={entry.model} />
      )}
    </>
  );
}

const ContextPicture = lazyComponent(() =>
  import('./ContextPicture.tsx').then((part) => part.ContextPicture),
);

/** A slash command and its output. */
export function CommandView({ entry }: { entry: CommandEntry }) {
  const parts = contextParts(entry.data);
  return (
    <div className="command">
      <code className="command-name">/{visibleText(entry.name.replace(/^\//, ''))}</code>
      {parts ? <ContextPicture parts={parts} /> : entry.text ? <StreamedText id={entry.id} /> : null}
    </div>
  );
}

/** One line; while streaming it shows the latest text. */
export function ThinkingView({ entry }: { entry: ThinkingEntry }) {
  const [isOpen, setOpen] = useFold(entry.id, false);
  const isLive = entry.status === 'partial';
  const took = entry.durationMs ?? (entry.endedAt === undefined ? undefined : entry.endedAt - entry.at);
  const title = isLive
    ? 'Thinking'
    : took === undefined || took < 1000
      ? 'Thought'
      : `Thought for ${elapsed(Math.round(took / 1000) * 1000)}`;
  return (
    <div className="thinking">
      <button type="button" className="line-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} />
        <span className={isLive ? 'live-word' : ''}>{title}</span>
        {isLive && !isOpen ? (
          <span className="truncate thinking-tail">{visibleProse(lastLine(entry.text))}</span>
        ) : null}
      </button>
      {isOpen ? (
        <div className="thinking-text">
          {visibleProse(entry.text) || 'The agent doesn’t share this reasoning'}
        </div>
      ) : null}
    </div>
  );
}
