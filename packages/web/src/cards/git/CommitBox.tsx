/** Commit message and button (W3). Ctrl+Enter commits; a draft lasts as long as the card. */
import type { RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { type KeyboardEvent, useState } from 'react';
import { plural } from '../../kit/format.ts';
import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { COMMITTING, type GitStore } from './git-store.ts';

export interface CommitBoxProps {
  store: GitStore;
  status: RepositoryStatus;
  busy: string | undefined;
}

export function CommitBox({ store, status, busy }: CommitBoxProps) {
  const [message, setMessage] = useState('');
  const [isAmend, setAmend] = useState(false);
  const staged = status.files.filter(({ index, conflict }) => index !== '.' && conflict === undefined).length;
  const hasConflicts = status.files.some(({ conflict }) => conflict !== undefined);
  // While another action such as staging runs, the commit follows it.
  const hasSomething = staged > 0 || isAmend || status.operation === 'merge' || busy !== undefined;
  const canCommit = message.trim() !== '' && !hasConflicts && busy !== COMMITTING && hasSomething;
  const commit = async () => {
    if (!canCommit) return;
    if (await store.commit(message, isAmend)) {
      setMessage('');
      setAmend(false);
    }
  };
  const amend = async (isWanted: boolean) => {
    setAmend(isWanted);
    if (!isWanted || message.trim() !== '') return;
    try {
      setMessage(await lastMessage(store));
    } catch (error) {
      store.fail(error);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void commit();
  };
  return (
    <form
      className="git-commit"
      onSubmit={(event) => {
        event.preventDefault();
        void commit();
      }}
    >
      <textarea
        className="field git-message"
        aria-label="Commit message"
        placeholder={
          status.branch === undefined ? 'Commit message' : `Commit message for ${visibleExact(status.branch)}`
        }
        rows={message.includes('\n') ? 4 : 2}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="git-commit-foot">
        <label className="git-amend">
          <input
            type="checkbox"
            checked={isAmend}
            disabled={status.commit === undefined}
            onChange={(event) => void amend(event.target.checked)}
          />
          Amend
        </label>
        <span className="git-commit-words">
          {hasConflicts
            ? 'Resolve conflicts first'
            : staged === 0
              ? 'Stage changes to commit'
              : plural(staged, 'file')}
        </span>
        <Button type="submit" look="primary" disabled={!canCommit} title="Ctrl+Enter">
          {busy === COMMITTING ? busy : isAmend ? 'Amend' : 'Commit'}
        </Button>
      </div>
    </form>
  );
}

async function lastMessage(store: GitStore): Promise<string> {
  const [last] = (await store.area.call('log', { skip: 0, limit: 1 })).commits;
  if (!last) return '';
  return last.body === '' ? last.subject : `${last.subject}\n\n${last.body}`;
}
