import type { Entry, PermissionEntry } from '@tugdeck/protocol/conversation/entries';
import { memo } from 'react';
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx';
import type { Row } from '../conversation/rows.ts';
import { useEntry } from '../conversation/use-entry.ts';
import { FormView, PermissionView, PlanView, QuestionView } from '../requests/RequestViews.tsx';
import { RestoreLine } from '../restore/RestoreLine.tsx';
import { NoticeView } from './NoticeView.tsx';
import { CommandView, TextView, ThinkingView } from './TextView.tsx';
import { ToolGroupView } from './ToolGroupView.tsx';
import { ToolView } from './ToolView.tsx';
import { UserView } from './UserView.tsx';

export const EntryRow = memo(function EntryRow({ row }: { row: Row }) {
  if (row.restore !== undefined) return <RestoreLine restore={row.restore} />;
  return row.isAside ? (
    <div className="set-aside">
      <PlainRow row={row} />
    </div>
  ) : (
    <PlainRow row={row} />
  );
});

function PlainRow({ row }: { row: Row }) {
  return row.ids.length > 1 ? (
    <ToolGroupView ids={row.ids} renderEntry={renderEntry} />
  ) : (
    <EntryArticle id={row.id} nested={row.nested} permission={row.permission} />
  );
}

// Groups and subagents contain rows: they get these, because their files cannot import this one.
const renderRow = (row: Row) => <EntryRow key={row.id} row={row} />;
const renderEntry = (id: string) => <EntryArticle key={id} id={id} />;

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
  /** The permission request about this tool. */
  permission?: string | undefined;
}

export function EntryArticle({ id, nested, permission: asked = '' }: EntryArticleProps) {
  const tool = useEntry(id);
  const request = useEntry(asked);
  const permission = request?.kind === 'permission' ? request : undefined;
  // An open request replaces its tool: the command is shown once.
  const entry = permission?.request.status === 'pending' ? permission : tool;
  if (!entry) return null;
  return (
    <article
      className="entry"
      aria-label={NAMES[entry.kind]}
      data-entry-id={entry.id}
      data-row={entry.id === id ? undefined : id}
      data-entry-kind={entry.kind}
      data-status={entry.status}
      tabIndex={-1}
    >
      <ErrorBoundary what="entry">
        <EntryView entry={entry} nested={nested} permission={permission} />
      </ErrorBoundary>
      {entry.status === 'cancelled' && (entry.kind === 'text' || entry.kind === 'thinking') ? (
        <span className="entry-label">Interrupted</span>
      ) : null}
    </article>
  );
}

interface EntryViewProps {
  entry: Entry;
  nested: readonly Row[] | undefined;
  permission: PermissionEntry | undefined;
}

function EntryView({ entry, nested, permission }: EntryViewProps) {
  switch (entry.kind) {
    case 'user':
      return <UserView entry={entry} />;
    case 'text':
      return <TextView entry={entry} />;
    case 'thinking':
      return <ThinkingView entry={entry} />;
    case 'tool':
      return <ToolView entry={entry} nested={nested} permission={permission} renderRow={renderRow} />;
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
