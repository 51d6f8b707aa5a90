/** Attempts at one message in the sidebar, together below their project (B37). */
import './workspace-group.css';
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Layers } from 'lucide-react';
import { openCard } from '../kit/layout/open-card.ts';
import { visibleText } from '../kit/visible-text.ts';
import { Icon } from '../ui/Icon.tsx';
import { SessionRows } from './SessionRows.tsx';

export interface AttemptsSectionProps {
  group: AttemptsRow;
  sessions: readonly SessionRow[];
  isFiltered: boolean;
}

export function AttemptsSection({ group, sessions, isFiltered }: AttemptsSectionProps) {
  const { id, project, title, attempts } = group;
  const label = visibleText(title);
  return (
    <section className="workspace-group" aria-label={`Attempts: ${label}`}>
      <button
        type="button"
        className="workspace-group-name"
        data-roving={label}
        tabIndex={-1}
        title={`Compare the ${attempts.length} attempts\n${label}`}
        onClick={() => openCard('attempts', { project, item: id })}
      >
        <Icon icon={Layers} size={13} />
        <span className="truncate">{label}</span>
        <span className="workspace-group-state">{`${attempts.length} attempts`}</span>
      </button>
      <SessionRows sessions={sessions} isFiltered={isFiltered} />
    </section>
  );
}
