/** Branches (W3): switch, create, delete. The server refuses to delete unmerged ones and says so. */
import type { GitBranch, RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ago } from '../../kit/format.ts';
import { useReply } from '../../kit/use-area.ts';
import { useNow } from '../../kit/use-now.ts';
import { visibleExact, visiblePath, visibleText } from '../../kit/visible-text.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import type { GitStore } from './git-store.ts';
import { NameForm } from './NameForm.tsx';

export function Branches({ store, status }: { store: GitStore; status: RepositoryStatus }) {
  const [changed, setChanged] = useState(0);
  const [filter, setFilter] = useState('');
  const { value, fault } = useReply(store.area, 'branches', {}, `${status.branch} ${changed}`);
  const create = async (name: string) => {
    const isDone = await store.act('Creating branch…', 'branch.create', { name, switch: true });
    setChanged((times) => times + 1);
    return isDone;
  };
  const remove = async (branch: string) => {
    await store.act('Deleting…', 'branch.delete', { name: branch });
    setChanged((times) => times + 1);
  };
  const fits = (branch: GitBranch) => branch.name.toLowerCase().includes(filter.trim().toLowerCase());
  const shown = value?.branches.filter(fits) ?? [];
  return (
    <div className="git-scroll">
      <NameForm label="New branch" placeholder="New branch name" action="Create" onName={create} />
      {(value?.branches.length ?? 0) > 12 ? (
        <div className="git-line">
          <input
            className="field"
            aria-label="Filter branches"
            placeholder="Filter branches"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </div>
      ) : null}
      {fault === undefined ? null : <p className="fault git-pad">{fault}</p>}
      <Group title="Local" branches={shown.filter(({ remote }) => !remote)} store={store} onRemove={remove} />
      <Group title="Remote" branches={shown.filter(({ remote }) => remote)} store={store} />
    </div>
  );
}

interface GroupProps {
  title: string;
  branches: readonly GitBranch[];
  store: GitStore;
  onRemove?: (branch: string) => void;
}

function Group({ title, branches, store, onRemove }: GroupProps) {
  const now = useNow('half-minute');
  if (branches.length === 0) return null;
  const change = ({ name, remote }: GitBranch) =>
    void store.act(`Switching to ${name}…`, 'branch.switch', { name, remote });
  return (
    <section className="git-group" aria-label={title}>
      <header className="git-group-head">
        <h3>
          {title} <span className="git-count">{branches.length}</span>
        </h3>
      </header>
      <ul className="git-rows">
        {branches.map((branch) => (
          <li key={branch.name} className="git-row">
            <button
              type="button"
              className="git-row-main"
              aria-current={branch.current || undefined}
              disabled={branch.current || branch.elsewhere !== undefined}
              title={
                branch.elsewhere === undefined
                  ? 'Switch to this branch'
                  : `Checked out in ${visiblePath(branch.elsewhere)}`
              }
              onClick={() => change(branch)}
            >
              <span className="git-path">
                <span className="git-name">{visibleExact(branch.name)}</span>
                <span className="git-folder">
                  {branch.current ? 'current · ' : ''}
                  {branch.track === undefined ? '' : `${branch.track} · `}
                  {visibleText(branch.subject)} · {ago(branch.at, now)}
                </span>
              </span>
            </button>
            {onRemove && !branch.current ? (
              <span className="git-row-acts">
                <IconButton
                  icon={Trash2}
                  label={`Delete ${visibleExact(branch.name)}`}
                  onClick={() => onRemove(branch.name)}
                />
              </span>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
