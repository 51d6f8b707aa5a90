/** Worktrees (W3): create one on a new branch with a new session, or remove one. */
import type { GitWorktree } from '@tugdeck/protocol/git/git-messages';
import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { createSession } from '../../kit/deck-actions.ts';
import { useReply } from '../../kit/use-area.ts';
import { visibleExact, visiblePath } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import type { GitStore } from './git-store.ts';
import { NameForm } from './NameForm.tsx';

export function Worktrees({ store }: { store: GitStore }) {
  const client = useClient();
  const [changed, setChanged] = useState(0);
  const [removed, setRemoved] = useState<GitWorktree>();
  const { value, fault } = useReply(store.area, 'worktrees', {}, changed);
  /** Adds the directory as a project if needed, and starts a session there. */
  const begin = async (path: string) => {
    const projectAt = () => client.deck.get()?.projects.find((one) => one.path === path);
    if (!projectAt()) await client.request({ type: 'project.add', path });
    const project = projectAt();
    const agent = client.deck.get()?.defaultAgent;
    if (project && agent !== undefined) await createSession(client, project.id, agent);
  };
  const make = async (branch: string) => {
    try {
      const { path } = await store.area.call('worktree.add', { branch });
      await begin(path);
      return true;
    } catch (error) {
      store.fail(error);
      return false;
    } finally {
      setChanged((times) => times + 1);
    }
  };
  const remove = async (path: string) => {
    await store.act('Removing…', 'worktree.remove', { path, confirmed: true });
    setChanged((times) => times + 1);
  };
  return (
    <div className="git-scroll">
      <NameForm
        label="Branch of the new worktree"
        placeholder="Branch for a new worktree"
        action="New session"
        onName={make}
      />
      {fault === undefined ? null : <p className="fault git-pad">{fault}</p>}
      <ul className="git-rows">
        {value?.worktrees.map((tree) => (
          <li key={tree.path} className="git-row git-stash">
            <span className="git-path git-row-words">
              <span className="git-name">
                {visibleExact(tree.branch ?? `detached at ${tree.commit?.slice(0, 8) ?? 'nothing'}`)}
              </span>
              <span className="git-folder" title={visiblePath(tree.path)}>
                {tree.current ? 'current · ' : ''}
                {tree.missing ? 'missing · ' : ''}
                {visiblePath(tree.path)}
              </span>
            </span>
            {tree.current ? null : (
              <span className="git-stash-acts">
                {tree.missing ? null : (
                  <Button
                    look="quiet"
                    onClick={() => void begin(tree.path).catch((error) => store.fail(error))}
                  >
                    New session
                  </Button>
                )}
                {tree.main ? null : (
                  <Button look="quiet" onClick={() => setRemoved(tree)}>
                    Remove
                  </Button>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      {removed ? (
        <ConfirmDialog
          title="Remove this worktree?"
          text={`${visiblePath(removed.path)} will be deleted, including uncommitted changes. Its branch is kept.`}
          action="Remove"
          onConfirm={() => void remove(removed.path)}
          onClose={() => setRemoved(undefined)}
        />
      ) : null}
    </div>
  );
}
