/** The conversation card: connects header, entries, open requests and composer. */

import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { useFileDrop } from '../../features/attachments/paste-and-drop.ts';
import { trayOf } from '../../features/attachments/tray.ts';
import { CardProvider, useCard } from '../../features/conversation/card-context.tsx';
import { createCard } from '../../features/conversation/create-card.ts';
import { useCardView } from '../../features/conversation/use-card-view.ts';
import { fillBox } from '../../features/prompt/fill-box.ts';
import { RequestDock } from '../../features/requests/RequestDock.tsx';
import { requestSummary } from '../../features/requests/request-summary.ts';
import { RestoreBanner } from '../../features/restore/RestoreBanner.tsx';
import { PhonePanelTabs } from '../../features/session-panel/PhonePanelTabs.tsx';
import { ProjectTrust } from '../../features/trust/ProjectTrust.tsx';
import { provideAction } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { isActiveFrame, useCardFrame } from '../../kit/layout/card-frame.tsx';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { isLimited } from '../../kit/limited.ts';
import { offeredPrompt } from '../../kit/offered-actions.ts';
import { placeOf } from '../../kit/place.ts';
import { isUnstarted } from '../../kit/projects.ts';
import { stateText } from '../../kit/session-state.ts';
import { useAgent } from '../../kit/use-agent.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { Announcer } from './Announcer.tsx';
import { CardHeader } from './CardHeader.tsx';
import { ActivityLine } from './composer/ActivityLine.tsx';
import { Composer } from './composer/Composer.tsx';
import { historyOf } from './composer/history.ts';
import { Pickers } from './composer/Pickers.tsx';
import { QueueList } from './composer/QueueList.tsx';
import { UsageGauge } from './composer/UsageGauge.tsx';
import { EntryList, type EntryListHandle } from './EntryList.tsx';
import { useReading } from './find/use-reading.ts';
import { NewConversation } from './NewConversation.tsx';
import { pauseWhenHidden } from './pause-when-hidden.ts';
import { AgentBanner, PlaceNotes, QuietNote } from './SessionNotes.tsx';
import { TaskList } from './tasks/TaskList.tsx';
import { useRows } from './use-rows.ts';

const AccountNote = lazyComponent(() => import('./AccountNote.tsx').then((part) => part.AccountNote));
const NewSessionPickers = lazyComponent(() =>
  import('./composer/NewSessionPickers.tsx').then((part) => part.NewSessionPickers),
);
const StartLine = lazyComponent(() =>
  import('../../features/workspaces/StartLine.tsx').then((part) => part.StartLine),
);
const WorkspaceLine = lazyComponent(() =>
  import('../../features/workspaces/WorkspaceLine.tsx').then((part) => part.WorkspaceLine),
);
const WorkspaceNotes = lazyComponent(() =>
  import('../../features/workspaces/WorkspaceNotes.tsx').then((part) => part.WorkspaceNotes),
);
const DeniedNote = lazyComponent(() => import('./DeniedNote.tsx').then((part) => part.DeniedNote));
const Suggestion = lazyComponent(() => import('./composer/Suggestion.tsx').then((part) => part.Suggestion));

const ReadOnlyFoot = lazyComponent(() =>
  import('./composer/ReadOnlyFoot.tsx').then((part) => part.ReadOnlyFoot),
);

interface ConversationCardProps {
  session: string;
  row: SessionRow | undefined;
}

export function ConversationCard({ session, row }: ConversationCardProps) {
  const live = useChannel(useClient(), session);
  const frame = useCardFrame();
  const channel = useMemo(() => live && pauseWhenHidden(live, frame), [live, frame]);
  return channel ? <OpenCard channel={channel} row={row} /> : <div className="card" aria-busy="true" />;
}

function OpenCard({ channel, row }: { channel: ConversationChannel; row: SessionRow | undefined }) {
  const { session } = channel;
  const { phase, conversation, order, hasOlder } = useCardView(channel);
  const fault = useReadable(channel.fault);
  const list = useRef<EntryListHandle>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const tray = trayOf(session);
  const drop = useFileDrop(tray);
  const card = useMemo(() => createCard(channel), [channel]);
  const { turn, queue, facts } = conversation;
  const known = useAgent(row?.agent);
  const agentLabel = facts.agentLabel ?? known?.label;
  const isCut = turn !== null && fault?.code === 'DATA_UNWRITABLE';
  const denied = conversation.turns.at(-1)?.denied;
  const rows = useRows(card, order, conversation);
  const isNew = row !== undefined && isUnstarted(row) && order.length === 0 && queue.length === 0;
  const isReadOnly = useReadable(isLimited);
  const requests = pendingRequests(conversation);
  const [oldest] = requests;
  const waitsFor = oldest ? requestSummary(oldest, facts.directory) : undefined;
  const history = () => {
    const entries = [...entriesFrom(conversation.entries, conversation.from)];
    return historyOf(entries.flatMap((entry) => (entry.kind === 'user' ? [entry.text] : [])));
  };
  const show = (id: string) => {
    list.current?.showEntry(id);
    focusRequest(id);
  };
  useRequestKey(oldest, show);
  useOfferedPrompt(box, agentLabel ?? 'the agent');
  useReading(card, list, rows.length > 0);

  return (
    <CardProvider value={card}>
      <div className="card" {...drop.handlers}>
        <CardHeader row={row} conversation={conversation} />
        <PhonePanelTabs session={session} />
        {row?.workspace === undefined ? null : <WorkspaceLine workspace={row.workspace} session={session} />}
        <div className="card-body">
          {phase === 'missing' ? <p className="card-note">This session no longer exists</p> : null}
          {phase === 'loading' && rows.length === 0 ? <div className="skeleton" aria-hidden="true" /> : null}
          {phase === 'ready' && rows.length === 0 && queue.length === 0 && !isReadOnly ? (
            <NewConversation row={row} onChoose={(prompt) => fillBox(box.current, prompt)} />
          ) : null}
          {rows.length > 0 ? <EntryList rows={rows} hasOlder={hasOlder} handle={list} /> : null}
          <FindBar />
          <RequestDock requests={requests} onShow={show} />
        </div>
        <div className="card-foot">
          <ProjectTrust
            row={row}
            label={agentLabel ?? row?.agent ?? 'The agent'}
            fault={fault}
            onTrusted={() => channel.wake()}
          />
          <RestoreBanner />
          {row?.workspace === undefined ? null : (
            <WorkspaceNotes
              workspace={row.workspace}
              agent={agentLabel ?? 'the agent'}
              onQuote={(text) => fillBox(box.current, text)}
            />
          )}
          <QuietNote conversation={conversation} label={facts.agentLabel ?? 'The agent'} />
          <PlaceNotes row={row} label={facts.agentLabel ?? row?.agent} />
          {row && row.origin !== 'foreign' && conversation.turns.length === 0 && turn === null ? (
            <AccountNote agent={row.agent} project={row.project} />
          ) : null}
          <AgentBanner agent={conversation.agent} label={facts.agentLabel ?? 'The agent'} />
          <TaskList todos={conversation.todos} />
          <QueueList
            queue={queue}
            canSteer={turn !== null && facts.canSteer === true}
            place={row?.summary?.slot && turn === null ? stateText(row, 'queued') : undefined}
          />
          {turn === null && denied ? <DeniedNote denied={denied} onShow={show} /> : null}
          {turn === null && facts.suggestion ? (
            <Suggestion text={facts.suggestion} onUse={() => fillBox(box.current, facts.suggestion ?? '')} />
          ) : null}
          {isReadOnly ? (
            <ReadOnlyFoot isRunning={turn !== null} isStopping={turn?.cancelling ?? false} />
          ) : (
            <Composer
              box={box}
              tray={tray}
              project={row && placeOf(row)}
              facts={facts}
              agentLabel={agentLabel}
              agent={conversation.agent.state}
              settings={
                <>
                  {isNew ? <NewSessionPickers row={row} /> : null}
                  <Pickers conversation={conversation} />
                </>
              }
              line={isNew ? (text) => <StartLine row={row} text={text} /> : undefined}
              usage={<UsageGauge usage={conversation.usage} limits={facts.limits} />}
              isRunning={turn !== null && !isCut}
              isStopping={turn?.cancelling ?? false}
              startedAt={conversation.turns.at(-1)?.startedAt}
              needsUser={waitsFor !== undefined}
              history={history}
              onSent={() => list.current?.toEnd()}
            />
          )}
          <ActivityLine conversation={conversation} waitsFor={waitsFor} isCut={isCut} />
        </div>
        <RestorePreviewDialog />
        <Announcer conversation={conversation} waitsFor={waitsFor} />
        {drop.isOver ? <div className="drop-here">Drop to attach</div> : null}
      </div>
    </CardProvider>
  );
}

/** Focuses the oldest open request of the active card on its key. */
function useRequestKey(oldest: RequestEntry | undefined, show: (id: string) => void): void {
  const isActive = useSelected(useCardFrame(), isActiveFrame);
  const latest = useRef({ oldest, show });
  latest.current = { oldest, show };
  useEffect(() => {
    if (!isActive) return;
    return provideAction('request.next', () => {
      const { oldest: entry, show: go } = latest.current;
      if (entry) go(entry.id);
    });
  }, [isActive]);
}

/** Lets the command palette write into the message box of the conversation in front (D44). */
function useOfferedPrompt(box: RefObject<HTMLTextAreaElement | null>, agent: string): void {
  const isActive = useSelected(useCardFrame(), isActiveFrame);
  useEffect(() => {
    if (!isActive) return;
    const offer = { agent, fill: (text: string) => fillBox(box.current, text) };
    offeredPrompt.set(offer);
    return () => {
      if (offeredPrompt.get() === offer) offeredPrompt.set(undefined);
    };
  }, [box, agent, isActive]);
}

/** The request may not be rendered yet: scrolling there takes a frame or two. */
function focusRequest(id: string, tries = 10): void {
  const frame = document.querySelector<HTMLElement>(`[data-request="${CSS.escape(id)}"]`);
  if (frame) frame.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusRequest(id, tries - 1));
}

const OpenFindBar = lazyComponent(() => import('./find/OpenFindBar.tsx').then((part) => part.OpenFindBar));

const RestoreDialog = lazyComponent(() =>
  import('../../features/restore/RestoreDialog.tsx').then((part) => part.RestoreDialog),
);

function RestorePreviewDialog() {
  const { restoring } = useCard();
  return useReadable(restoring) === undefined ? null : <RestoreDialog />;
}

function FindBar() {
  const { reading } = useCard();
  return useReadable(reading.isFinding) ? <OpenFindBar /> : null;
}
