import type { FileDiff } from '@tugdeck/protocol/conversation/entries';
import { diffCounts } from './diff-counts.ts';

export function DiffCounts({ files }: { files: readonly FileDiff[] }) {
  const { added, removed } = diffCounts(files);
  return (
    <span className="diff-counts">
      {added > 0 ? <span className="is-added">+{added}</span> : null}
      {removed > 0 ? <span className="is-removed">−{removed}</span> : null}
    </span>
  );
}
