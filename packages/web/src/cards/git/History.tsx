/** Commits with their graph, newest first; a commit expands to its files, a file to its diff (W3). */
import type { GitCommit } from '@tugdeck/protocol/git/git-messages';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import { moveFocus } from '../../features/diff/move-focus.ts';
import { faultText } from '../../kit/deck-actions.ts';
import { ago, exactTime } from '../../kit/format.ts';
import { useNow } from '../../kit/use-now.ts';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { CommitFiles } from './CommitFiles.tsx';
import { Graph } from './Graph.tsx';
import type { GitStore } from './git-store.ts';
import { type GraphRow, graphRows } from './graph.ts';

/** More names would push the subject out of its row. */
const SHOWN_REFS = 2;

const PAGE = 100;

export function History({ store, head }: { store: GitStore; head: string | undefined }) {
  const [isAll, setAll] = useState(false);
  const { commits, more, fault, load } = useLog(store, isAll, head);
  const rows = useMemo(() => graphRows(commits ?? []), [commits]);
  const width = Math.max(
    1,
    ...rows.map(({ above, below, lane }) => Math.max(above.length, below.length, lane + 1)),
  );
  const [open, setOpen] = useState<string>();
  const now = useNow('half-minute');
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    moveFocus(event.currentTarget, '.git-commit-row', step);
    event.preventDefault();
  };
  return (
    <div className="git-scroll">
      <label className="git-option">
        <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} />
        All branches
      </label>
      {fault === undefined ? null : <p className="fault git-pad">{fault}</p>}
      {commits === undefined && fault === undefined ? (
        <div className="pane-waiting" aria-busy="true" />
      ) : null}
      {commits?.length === 0 ? <p className="pane-empty">No commits yet</p> : null}
      <ol className="git-log" onKeyDown={onKeyDown}>
        {commits?.map((commit, index) => (
          <CommitRow
            key={commit.commit}
            commit={commit}
            graph={rows[index]}
            width={width}
            now={now}
            isOpen={open === commit.commit}
            onToggle={setOpen}
            store={store}
          />
        ))}
      </ol>
      {more ? (
        <Button look="link" className="git-more" onClick={load}>
          Show older commits
        </Button>
      ) : null}
    </div>
  );
}

function useLog(store: GitStore, all: boolean, head: string | undefined) {
  const [state, setState] = useState<{ commits?: GitCommit[]; more: boolean; fault?: string }>({
    more: false,
  });
  // Replies to requests made before the filter or HEAD changed are ignored.
  const generation = useRef(0);
  const load = (skip: number) => {
    const current = generation.current;
    const take: typeof setState = (next) => generation.current === current && setState(next);
    store.area.call('log', { skip, limit: PAGE, all }).then(
      ({ commits, more }) => {
        take((old) => ({ commits: skip === 0 ? commits : [...(old.commits ?? []), ...commits], more }));
      },
      (error) => take((old) => ({ ...old, fault: faultText(error) })),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another HEAD has another history
  useEffect(() => {
    generation.current += 1;
    load(0);
  }, [store, all, head]);
  return { ...state, load: () => load(state.commits?.length ?? 0) };
}

interface CommitRowProps {
  commit: GitCommit;
  graph: GraphRow | undefined;
  width: number;
  now: number;
  isOpen: boolean;
  onToggle: (commit: string | undefined) => void;
  store: GitStore;
}

const CommitRow = memo(function CommitRow({
  commit,
  graph,
  width,
  now,
  isOpen,
  onToggle,
  store,
}: CommitRowProps) {
  return (
    <li>
      <button
        type="button"
        className="git-commit-row"
        aria-expanded={isOpen}
        onClick={() => onToggle(isOpen ? undefined : commit.commit)}
      >
        {graph ? <Graph row={graph} width={width} /> : null}
        <span className="git-commit-main">
          <span className="git-subject">
            {commit.refs.slice(0, SHOWN_REFS).map((ref) => (
              <span key={ref} className="git-ref">
                {visibleExact(ref.replace('HEAD -> ', ''))}
              </span>
            ))}
            {commit.refs.length > SHOWN_REFS ? (
              <span className="git-ref" title={visibleExact(commit.refs.slice(SHOWN_REFS).join(', '))}>
                +{commit.refs.length - SHOWN_REFS}
              </span>
            ) : null}
            {visibleText(commit.subject)}
          </span>
          <span className="git-commit-facts" title={exactTime(commit.at)}>
            {visibleText(commit.author)} · {ago(commit.at, now)} · <code>{commit.commit.slice(0, 8)}</code>
          </span>
        </span>
      </button>
      {isOpen ? (
        <div className="git-commit-files">
          {commit.body === '' ? null : <p className="git-body">{visibleText(commit.body)}</p>}
          <CommitFiles store={store} commit={commit.commit} />
        </div>
      ) : null}
    </li>
  );
});
