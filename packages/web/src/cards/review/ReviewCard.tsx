/**
 * The Review card (W4): all changes of a session as a list of diffs. J and K step through hunks and files, A
 * accepts, R reverts, C comments, V marks a file as viewed.
 */
import { commentMessage } from '@tugdeck/protocol/review/comment-message';
import type { ReviewFile, ReviewState } from '@tugdeck/protocol/review/review-messages';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { History } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { moveFocus } from '../../features/diff/move-focus.ts';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { openCard } from '../../kit/layout/open-card.ts';
import { wantedChanges } from '../../kit/open-changes.ts';
import { placeOf } from '../../kit/place.ts';
import { markReviewed } from '../../kit/reviewed.ts';
import { useAgent } from '../../kit/use-agent.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { FileReview } from './FileReview.tsx';
import { ReviewStore } from './review-store.ts';
import { ScopeMenu } from './ScopeMenu.tsx';
import { useAnswers } from './use-answers.ts';
import '../../features/diff/hunks.css';
import './review.css';

export default function ReviewCard({ params, isVisible }: CardProps) {
  const client = useClient();
  const { session } = params;
  const external = useSelected(client.deck, (deck) =>
    deck?.sessions.find(({ id, origin }) => id === session && origin === 'foreign'),
  );
  const isExternal = external !== undefined;
  const [store, setStore] = useState<ReviewStore>();
  useEffect(() => {
    if (session === undefined || isExternal) return;
    const made = new ReviewStore(client, session);
    setStore(made);
    return () => {
      made.close();
      setStore(undefined);
    };
  }, [client, session, isExternal]);
  return (
    <fieldset className="pane review" aria-label="Review">
      {isVisible && session !== undefined ? <MarkReviewed session={session} /> : null}
      {store && session !== undefined ? <Body store={store} session={session} /> : null}
      {external ? <NotRecorded row={external} /> : null}
      {session === undefined ? <p className="pane-empty">This session was removed</p> : null}
    </fieldset>
  );
}

/** Of an external session (A40): no turn of it was recorded here. */
function NotRecorded({ row }: { row: SessionRow }) {
  const agent = useAgent(row.agent)?.label ?? row.agent;
  return (
    <div className="pane-empty">
      <p>
        The changes of this session were not recorded, because it was started in {visibleText(agent)}, not
        here.
      </p>
      <Button onClick={() => openCard('git', { project: placeOf(row) })}>Show all uncommitted changes</Button>
    </div>
  );
}

/** Applies the comparison that `openChanges` named. */
function useWantedScope(store: ReviewStore, session: string): void {
  const wanted = useReadable(wantedChanges);
  useEffect(() => {
    if (wanted?.session !== session) return;
    store.setScope(wanted.scope);
    wantedChanges.set(undefined);
  }, [store, session, wanted]);
}

/** A visible review of an idle session counts as reviewed (D14). */
function MarkReviewed({ session }: { session: string }) {
  const row = useReadable(useClient().deck)?.sessions.find(({ id }) => id === session);
  useEffect(() => {
    if (row?.summary?.turn === 'idle') markReviewed(row);
  }, [row]);
  return null;
}

function Body({ store, session }: { store: ReviewStore; session: string }) {
  const client = useClient();
  const channel = useChannel(client, session);
  const project = useReadable(client.deck)?.sessions.find(({ id }) => id === session)?.project;
  const { scope, state, isLost, branches, fault, undo, open } = useReadable(store.view);
  useWantedScope(store, session);
  useAnswers(store, channel, state?.comments);
  const unsent = state?.comments.filter(({ sentAt }) => sentAt === undefined) ?? [];
  const send = async () => {
    if (!channel) return;
    try {
      await channel.send({ kind: 'prompt.send', text: commentMessage(unsent) });
      await store.sent(unsent);
    } catch (error) {
      store.fail(error);
    }
  };
  const accepted = useMemo(
    () => new Set(state?.accepted.map(({ path, hunk }) => `${path}\n${hunk}`)),
    [state?.accepted],
  );
  const groups = groupsOf(state);
  const viewed = state?.files.filter((file) => file.viewed).length ?? 0;
  return (
    <>
      <header className="pane-head review-head">
        <ScopeMenu
          scope={scope}
          turns={state?.turns ?? []}
          branches={branches}
          onChoose={(chosen) => store.setScope(chosen)}
        />
        {state && state.files.length > 0 ? (
          <span className="pane-fact">
            {viewed} of {plural(state.files.length, 'file')} viewed
          </span>
        ) : null}
        <IconButton
          icon={History}
          label="Timeline"
          onClick={() => openCard('timeline', { session, ...(project === undefined ? {} : { project }) })}
        />
        {unsent.length > 0 ? (
          <Button look="primary" className="review-send" disabled={!channel} onClick={() => void send()}>
            Send {plural(unsent.length, 'comment')}
          </Button>
        ) : null}
      </header>
      {fault === undefined ? null : (
        <div className="pane-fault" role="alert">
          <p>{fault}</p>
          <Button look="quiet" onClick={() => store.forgetFault()}>
            Dismiss
          </Button>
        </div>
      )}
      {undo ? (
        <div className="review-undo" role="status">
          <span>{visibleText(undo.label)}</span>
          <Button look="quiet" onClick={() => void store.takeBack()}>
            Undo
          </Button>
        </div>
      ) : null}
      {isLost ? <p className="pane-note">Disconnected. This may be out of date.</p> : null}
      <div className="review-files diff-room" onKeyDownCapture={(event) => onKeys(event, store, state)}>
        {state ? <Nothing state={state} /> : <div className="pane-waiting" aria-busy="true" />}
        {groups.map(({ title, note, files }) => (
          <section key={title} aria-label={title}>
            {groups.length > 1 || title !== CHANGED ? <h3 className="review-group">{title}</h3> : null}
            {note === undefined ? null : <p className="review-group-note">{note}</p>}
            {files.map((file) => (
              <FileReview
                key={file.path}
                store={store}
                file={file}
                open={open.get(file.path)}
                comments={state?.comments ?? []}
                accepted={accepted}
              />
            ))}
          </section>
        ))}
        {state && state.more > 0 ? (
          <p className="pane-note">{plural(state.more, 'more file')} not shown</p>
        ) : null}
        {state && state.left > 0 ? (
          <p className="pane-note">{plural(state.left, 'large file')} left out of the comparison</p>
        ) : null}
      </div>
    </>
  );
}

const CHANGED = 'Changed by this session';

interface Group {
  readonly title: string;
  readonly note?: string;
  readonly files: readonly ReviewFile[];
}

function groupsOf(state: ReviewState | undefined): Group[] {
  const files = state?.files ?? [];
  const groups: Group[] = [
    { title: CHANGED, files: files.filter(({ by = 'session' }) => by === 'session') },
    {
      title: 'Also changed outside this session',
      note: 'You or another session changed these files too. Some or all of this may not be this session’s.',
      files: files.filter(({ by }) => by === 'both'),
    },
    { title: 'Changed outside this session', files: files.filter(({ by }) => by === 'others') },
  ];
  return groups.filter((group) => group.files.length > 0);
}

function Nothing({ state }: { state: ReviewState }) {
  if (state.missing !== undefined) return <p className="pane-empty">{state.missing}</p>;
  if (state.files.length === 0) return <p className="pane-empty">No changes</p>;
  return null;
}

/** Keys that step through all files are handled before a single file's list. */
function onKeys(event: KeyboardEvent<HTMLElement>, store: ReviewStore, state: ReviewState | undefined): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest('textarea, input')) return;
  const step = { j: 1, k: -1 }[event.key];
  if (step !== undefined) {
    moveFocus(event.currentTarget, '[data-hunk], .review-file-toggle', step)?.scrollIntoView({
      block: 'nearest',
    });
  } else if (event.key === 'v') {
    const section = target.closest('.review-file')?.querySelector<HTMLElement>('.review-file-toggle');
    const file = state?.files.find(({ path }) => path === section?.dataset.path);
    if (!file) return;
    store.setViewed(file, !file.viewed);
    section?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
