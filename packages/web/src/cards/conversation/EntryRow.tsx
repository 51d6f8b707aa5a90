import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { memo } from 'react';
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx';
import { CommandView } from './entries/CommandView.tsx';
import { NoticeView } from './entries/NoticeView.tsx';
import { TextView } from './entries/TextView.tsx';
import { ThinkingView } from './entries/ThinkingView.tsx';
import { ToolGroupView } from './entries/ToolGroupView.tsx';
import { ToolView } from './entries/ToolView.tsx';
import { UserView } from './entries/UserView.tsx';
import { FormView } from './requests/FormView.tsx';
import { PermissionView } from './requests/PermissionView.tsx';
import { PlanView } from './requests/PlanView.tsx';
import { QuestionView } from './requests/QuestionView.tsx';
import type { Row } from './rows.ts';
import { useEntry } from './use-entry.ts';

export const EntryRow = memo(function EntryRow({ row }: { row: Row }) {
  return row.ids.length > 1 ? (
    <ToolGroupView ids={row.ids} />
  ) : (
    <EntryArticle id={row.id} nested={row.nested} />
  );
});

const NAMES: Readonly<Record<Entry['kind'], string>> = {
  user: 'You',
  text: 'Agent',
  thinking: 'Thinking',
  tool: 'Tool',
  permission: 'Permission',
  question: 'Question',
  plan: 'Plan',
  form: 'Form',
  notice: 'Notice',
  command: 'Command',
};

export interface EntryArticleProps {
  id: string;
  nested?: readonly Row[] | undefined;
}

export function EntryArticle({ id, nested }: EntryArticleProps) {
  const entry = useEntry(id);
  if (!entry) return null;
  return (
    <article
      className="entry"
      aria-label={NAMES[entry.kind]}
      data-entry-id={entry.id}
      data-entry-kind={entry.kind}
      data-status={entry.status}
      tabIndex={-1}
    >
      <ErrorBoundary what="entry">
        <EntryView entry={entry} nested={nested} />
      </ErrorBoundary>
      {entry.status === 'cancelled' && (entry.kind === 'text' || entry.kind === 'thinking') ? (
        <span className="entry-label">Interrupted</span>
      ) : null}
    </article>
  );
}

function EntryView({ entry, nested }: { entry: Entry; nested: readonly Row[] | undefined }) {
  switch (entry.kind) {
    case 'user':
      return <UserView entry={entry} />;
    case 'text':
      return <TextView entry={entry} />;
    case 'thinking':
      return <ThinkingView entry={entry} />;
    case 'tool':
      return <ToolView entry={entry} nested={nested} />;
    case 'notice':
      return <NoticeView entry={entry} />;
    case 'command':
      return <CommandView entry={entry} />;
    case 'permission':
      return <PermissionView entry={entry} />;
    case 'question':
      return <QuestionView entry={entry} />;
    case 'plan':
      return <PlanView entry={entry} />;
    case 'form':
      return <FormView entry={entry} />;
    default: {
      entry satisfies never;
      return null;
    }
  }
}
