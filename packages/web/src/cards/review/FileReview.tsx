/** One file of a review: its diff, the state of each hunk, and comments at their lines (W4). */
import type { ShownHunk } from '@tugdeck/protocol/git/git-messages';
import type { ReviewComment, ReviewFile } from '@tugdeck/protocol/review/review-messages';
import { ChevronDown, ChevronRight, MessageSquarePlus, Undo2 } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import type { LineTools } from '../../features/diff/DiffTable.tsx';
import { type DiffRow, diffRows } from '../../features/diff/diff-rows.ts';
import { HunkList } from '../../features/diff/HunkList.tsx';
import { plural } from '../../kit/format.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { CommentEditor, CommentThread } from './CommentThread.tsx';
import { isAt, placeOf, strayComments } from './comment-places.ts';
import type { OpenReviewFile, ReviewStore } from './review-store.ts';

export interface FileReviewProps {
  store: ReviewStore;
  file: ReviewFile;
  open: OpenReviewFile | undefined;
  comments: readonly ReviewComment[];
  accepted: ReadonlySet<string>;
}

export const FileReview = memo(function FileReview({
  store,
  file,
  open,
  comments,
  accepted,
}: FileReviewProps) {
  const { path } = file;
  const own = useMemo(() => comments.filter((one) => one.path === path), [comments, path]);
  return (
    <section className="review-file" aria-label={visiblePath(path)}>
      <header className="review-file-head">
        <button
          type="button"
          className="review-file-toggle"
          data-path={path}
          aria-expanded={open !== undefined}
          title={visiblePath(file.oldPath === undefined ? path : `${file.oldPath} → ${path}`)}
          onClick={() => store.toggle(path)}
        >
          <Icon icon={open ? ChevronDown : ChevronRight} />
          <span className="review-path">
            <bdi>{visiblePath(path)}</bdi>
          </span>
        </button>
        <FileFacts file={file} comments={own.length} />
        <IconButton
          icon={Undo2}
          label={`Revert ${visiblePath(path)}`}
          onClick={() => void store.revert(path)}
        />
        <label className="review-viewed">
          <input
            type="checkbox"
            checked={file.viewed}
            onChange={(event) => store.setViewed(file, event.target.checked)}
          />
          Viewed
        </label>
      </header>
      {open ? <FileLines store={store} file={file} open={open} comments={own} accepted={accepted} /> : null}
    </section>
  );
});

const STATES = {
  added: 'New',
  deleted: 'Deleted',
  renamed: 'Renamed',
  copied: 'Copied',
  type: 'Type changed',
} as const;

function FileFacts({ file, comments }: { file: ReviewFile; comments: number }) {
  const state = file.state === 'modified' ? undefined : STATES[file.state];
  return (
    <span className="review-facts">
      {state === undefined ? null : <span>{state}</span>}
      {comments > 0 ? <span>{plural(comments, 'comment')}</span> : null}
      {file.binary ? <span>Binary</span> : null}
      {file.added > 0 ? <span className="is-added">+{file.added}</span> : null}
      {file.removed > 0 ? <span className="is-removed">−{file.removed}</span> : null}
    </span>
  );
}

type LinesProps = Omit<FileReviewProps, 'open'> & { open: OpenReviewFile };

function FileLines({ store, file, open, comments, accepted }: LinesProps) {
  const { path } = file;
  const { change, fault } = open;
  const [writing, setWriting] = useState<DiffRow>();
  const lost = useMemo(
    () => strayComments(comments, path, diffRows(change?.hunks ?? [])),
    [comments, path, change],
  );
  const tools: LineTools = {
    beside: (row) =>
      placeOf(row) ? (
        <button
          type="button"
          className="review-line-button"
          tabIndex={-1}
          aria-label={`Comment on line ${placeOf(row)?.line}`}
          onClick={() => setWriting(row)}
        >
          <Icon icon={MessageSquarePlus} size={12} />
        </button>
      ) : null,
    below: (row) => {
      const here = comments.filter((one) => isAt(one, path, row));
      const isHere = writing !== undefined && same(writing, row);
      if (here.length === 0 && !isHere) return null;
      return (
        <>
          {here.map((comment) => (
            <CommentThread key={comment.id} comment={comment} store={store} />
          ))}
          {isHere ? (
            <CommentEditor
              label={`Comment on line ${placeOf(row)?.line}`}
              action="Add comment"
              onSave={(text) => addComment(store, path, row, text)}
              onClose={() => setWriting(undefined)}
            />
          ) : null}
        </>
      );
    },
  };
  const isAccepted = (hunk: ShownHunk) => accepted.has(`${path}\n${hunk.id}`);
  const onKey = (hunk: ShownHunk, key: string) => {
    if (key === 'a') store.accept(path, hunk.id, !isAccepted(hunk));
    else if (key === 'r') void store.revert(path, hunk.id);
    else if (key === 'c') setWriting(firstChanged(hunk));
    else return false;
    return true;
  };
  if (fault !== undefined) return <p className="fault review-pad">{fault}</p>;
  if (!change) return <div className="review-waiting" aria-busy="true" />;
  return (
    <>
      {lost.map((comment) => (
        <div key={comment.id} className="review-stray">
          <p>
            Line {comment.line}: <code>{visibleText(comment.quote)}</code>
          </p>
          <CommentThread comment={comment} store={store} />
        </div>
      ))}
      <HunkList
        change={change}
        tools={tools}
        onKey={onKey}
        onWhole={() => store.showWhole(path)}
        stateOf={(hunk) => (isAccepted(hunk) ? 'accepted' : undefined)}
        actions={(hunk) => (
          <>
            <Button look="quiet" onClick={() => void store.revert(path, hunk.id)}>
              Revert
            </Button>
            <Button
              look="quiet"
              aria-pressed={isAccepted(hunk)}
              onClick={() => store.accept(path, hunk.id, !isAccepted(hunk))}
            >
              {isAccepted(hunk) ? 'Accepted' : 'Accept'}
            </Button>
          </>
        )}
      />
    </>
  );
}

function firstChanged(hunk: ShownHunk): DiffRow | undefined {
  const rows = diffRows([hunk]);
  return rows.find(({ kind }) => kind === 'added') ?? rows.find(({ kind }) => kind === 'removed') ?? rows[0];
}

function same(a: DiffRow, b: DiffRow): boolean {
  return a.kind === b.kind && a.old === b.old && a.new === b.new;
}

function addComment(store: ReviewStore, path: string, row: DiffRow, text: string): Promise<boolean> {
  const place = placeOf(row);
  if (!place) return Promise.resolve(false);
  return store.comment({ path, ...place, quote: row.text.slice(0, 2_000), text });
}
