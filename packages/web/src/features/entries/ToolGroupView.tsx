import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { ChevronDown, ChevronRight, FileSearch } from 'lucide-react';
import type { ReactNode } from 'react';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useCard, useFold } from '../conversation/card-context.tsx';
import { groupFold } from '../conversation/folds.ts';
import { useDirectory } from '../conversation/project-paths.ts';
import { groupTitle } from '../conversation/rows.ts';
import { useEntry } from '../conversation/use-entry.ts';
import { isRunning } from './tool-facts.ts';
import { toolTitle } from './tool-title.ts';

const textOf = ({ verb, object }: ReturnType<typeof toolTitle>) =>
  object === undefined ? verb : `${verb} ${object}`;

export interface ToolGroupViewProps {
  ids: readonly string[];
  renderEntry: (id: string) => ReactNode;
}

/** A group of consecutive read-only tools as one line. */
export function ToolGroupView({ ids, renderEntry }: ToolGroupViewProps) {
  const { channel } = useCard();
  const [isOpen, setOpen] = useFold(groupFold(ids[0] ?? ''), false);
  const directory = useDirectory();
  const last = useEntry(ids.at(-1) ?? '');
  const entries = ids
    .map((id) => channel.entry(id).get())
    .filter((entry): entry is Entry => entry !== undefined);
  const isLive = last?.kind === 'tool' && isRunning(last.state);
  return (
    <article
      className="entry"
      aria-label="Tools"
      data-entry-kind="tool"
      data-status={last?.status}
      data-entry-id={ids[0]}
      data-count={ids.length}
      data-row={ids[0]}
      tabIndex={-1}
    >
      <div className="tool" data-state={isLive ? 'running' : 'done'} data-open={isOpen}>
        <button type="button" className="tool-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="tool-icon">
            <Icon icon={FileSearch} />
          </span>
          <span className="tool-title truncate">{groupTitle(entries)}</span>
          {isLive && last?.kind === 'tool' ? (
            <span className="tool-fact truncate">{visibleText(textOf(toolTitle(last, directory)))}</span>
          ) : null}
          <span className="tool-end">
            {isLive ? <span className="tool-state">Running</span> : null}
            <span className="tool-fold">
              <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} />
            </span>
          </span>
        </button>
      </div>
      {isOpen ? <div className="tool-group">{ids.map(renderEntry)}</div> : null}
    </article>
  );
}
