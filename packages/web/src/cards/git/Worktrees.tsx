/** Worktrees (W3): create one on a new branch with a new session, or remove one. */
import { newId } from '@tugdeck/client/new-id';
import type { GitWorktree } from '@tugdeck/protocol/git/git-messages';
import type { DeckRequest } from '@tugdeck/protocol/wire/deck';
import { useState } from 'react';
import { withTrust } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { createSession } from '../../kit/deck-actions.ts';
import { projectOfPlace, workspaceAt } from '../../kit/place.ts';
import { showSession } from '../../kit/route.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useReply } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleExact, visiblePath } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import type { GitStore } from './git-store.ts';
import { NameForm } from './NameForm.tsx';

type NewSessionWorkspace = NonNullable<Extract<DeckRequest, { type: 'session.create' }>['workspace']>;

export function Worktrees({ store }: { store: GitStore }) {
  const client = useClient();
  const [changed, setChanged] = useState(0);
  const [removed, setRemoved] = useState<GitWorktree>();
  const { value, fault } = useReply(store.area, 'worktrees', {}, changed);
  const deck = useReadable(client.deck);
  const project = projectOfPlace(deck, store.area.about.project);
  const startIn = async (place: string, workspace: NewSessionWorkspace) => {
    const agent = client.deck.get()?.defaultAgent;
    if (agent === undefined) return;
    const session = newId();
    await withTrust(place, agent, () =>
      client.request({ type: 'session.create', session, project, agent, workspace }),
    );
    showSession(session);
  };
  /** Starts a session in a workspace; another worktree becomes a project first. */
  const begin = async (path: string) => {
    const workspace = workspaceAt(client.deck.get(), path);
    if (workspace) return startIn(workspace.id, { id: workspace.id });
    const projectAt = () => client.deck.get()?.projects.find((one) => one.path === path);
    if (!projectAt()) await client.request({ type: 'project.add', path });
    const added = projectAt();
    const agent = client.deck.get()?.defaultAgent;
    if (added && agent !== undefined) await createSession(client, added.id, agent);
  };
  const make = async (branch: string) => {
    try {
      await startIn(project, { id: newId(), create: { title: branch, branch } });
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
                {tree.main ? null : workspaceAt(deck, tree.path) ? (
                  <Button
                    look="quiet"
                    onClick={() => openShellDialog({ kind: 'workspaces', project })}
                    title="Archive it in the list of workspaces"
                  >
                    Workspaces…
                  </Button>
                ) : (
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
