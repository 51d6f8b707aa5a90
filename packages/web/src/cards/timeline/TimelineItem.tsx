import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { TimelinePoint } from '@tugdeck/protocol/review/timeline';
import { Circle, History, User } from 'lucide-react';
import { useState } from 'react';
import { isUndo, restoreTitle } from '../../features/restore/restore-records.ts';
import { type OtherWay, otherWay, tryAnotherWay } from '../../features/restore/try-another-way.ts';
import { undoRestore } from '../../features/restore/undo-restore.ts';
import { useClient } from '../../kit/client-context.tsx';
import { exactTime, localTime, plural } from '../../kit/format.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { firstLine, type TimelineRow } from './timeline-rows.ts';

interface TimelineItemProps {
  row: TimelineRow;
  session: string;
  channel: ConversationChannel;
  conversation: Conversation;
  onFault: (error: unknown) => void;
}

const ICONS = { turn: Circle, others: User, restore: History } as const;

export function TimelineItem(props: TimelineItemProps) {
  const { row } = props;
  return (
    <li
      className="timeline-item"
      data-kind={row.kind}
      data-aside={(row.kind === 'turn' && row.isAside) || undefined}
    >
      <Icon icon={ICONS[row.kind]} size={14} />
      <time className="timeline-time" dateTime={new Date(row.at).toISOString()} title={exactTime(row.at)}>
        {localTime(row.at, Date.now())}
      </time>
      <div className="timeline-body">
        <Content {...props} />
      </div>
    </li>
  );
}

function Content({ row, session, channel, conversation, onFault }: TimelineItemProps) {
  switch (row.kind) {
    case 'others':
      return (
        <p className="timeline-title">
          Changed outside this session <Counts {...row.changes} />
        </p>
      );
    case 'restore': {
      const { record, isLast } = row;
      const undo = () => undoRestore(channel, record).catch(onFault);
      const isOpen = record.state === 'open';
      return (
        <p className="timeline-title">
          <span>{isOpen ? 'Restore interrupted' : restoreTitle(conversation, record)}</span>
          {isLast ? (
            <Button look="link" disabled={conversation.turn !== null} onClick={undo}>
              {isUndo(conversation, record) ? 'Redo' : 'Undo'}
            </Button>
          ) : null}
        </p>
      );
    }
    case 'turn':
      return (
        <Turn row={row} session={session} channel={channel} conversation={conversation} onFault={onFault} />
      );
  }
}

interface TurnProps extends Omit<TimelineItemProps, 'row'> {
  row: Extract<TimelineRow, { kind: 'turn' }>;
}

function Turn({
  row: { point, entry, isAside, number },
  session,
  channel,
  conversation,
  onFault,
}: TurnProps) {
  const client = useClient();
  const [isStarting, setIsStarting] = useState(false);
  const way = entry && !isAside ? otherWay(conversation, entry, point) : undefined;
  const start = async (before: UserEntry, found: OtherWay) => {
    setIsStarting(true);
    await tryAnotherWay(client, channel, before, { turn: point.turn, way: found }).catch(onFault);
    setIsStarting(false);
  };
  const label = entry ? visibleText(firstLine(entry)) || 'Attachment' : `Turn ${number}`;
  return (
    <>
      <p className="timeline-title">
        <a
          className="timeline-link"
          href={`#/session/${session}${entry ? `/${entry.id}` : ''}`}
          title="Show in the conversation"
        >
          {label}
        </a>
        {point.changes ? <Counts {...point.changes} /> : null}
        {isAside ? <span className="muted">Hidden by a restore</span> : null}
        {point.isKept ? null : <span className="muted">No checkpoint</span>}
        {entry && way ? (
          <Button
            look="link"
            title={
              way.hasFiles
                ? 'New session in a new workspace, with the conversation and files before this message'
                : 'Fork the conversation before this message'
            }
            disabled={isStarting}
            onClick={() => void start(entry, way)}
          >
            Try another way
          </Button>
        ) : null}
      </p>
      <Commits commits={point.commits ?? []} branch={point.branch} />
    </>
  );
}

function Commits({
  commits,
  branch,
}: {
  commits: NonNullable<TimelinePoint['commits']>;
  branch: string | undefined;
}) {
  if (commits.length === 0) return null;
  return (
    <ul className="timeline-commits" aria-label={`Commits${branch ? ` on ${visibleText(branch)}` : ''}`}>
      {commits.map(({ commit, subject }) => (
        <li key={commit}>
          <code>{commit.slice(0, 8)}</code> {visibleText(subject)}
        </li>
      ))}
    </ul>
  );
}

function Counts({ files, added, removed }: NonNullable<TimelinePoint['changes']>) {
  if (files === 0) return null;
  return (
    <span className="timeline-counts">
      {plural(files, 'file')} {added > 0 ? <span className="is-added">+{added}</span> : null}{' '}
      {removed > 0 ? <span className="is-removed">−{removed}</span> : null}
    </span>
  );
}
