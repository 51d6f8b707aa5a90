import type { ThinkingEntry } from '@tugdeck/protocol/conversation/entries';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { elapsed } from '../../kit/format.ts';
import { visibleProse } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useFold } from '../conversation/card-context.tsx';
import { lastLine } from '../tool-results/lines.ts';

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
