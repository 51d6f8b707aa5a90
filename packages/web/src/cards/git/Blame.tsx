/** Blame: each commit is named where its lines begin. */
import { useState } from 'react';
import { ago, exactTime } from '../../kit/format.ts';
import { useReply } from '../../kit/use-area.ts';
import { useNow } from '../../kit/use-now.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import type { GitStore } from './git-store.ts';

const SHOWN = 1_000;

export function Blame({ store, path }: { store: GitStore; path: string }) {
  const { value, fault } = useReply(store.area, 'blame', { path });
  const [isWhole, setWhole] = useState(false);
  const now = useNow('half-minute');
  if (fault !== undefined) return <p className="fault git-pad">{fault}</p>;
  if (!value) return <div className="pane-waiting" aria-busy="true" />;
  const lines = isWhole ? value.lines : value.lines.slice(0, SHOWN);
  return (
    <>
      <table className="git-blame" aria-label={`Blame for ${visiblePath(path)}`}>
        <tbody>
          {lines.map((line, index) => {
            const commit = value.commits[line.commit];
            const isFirst = lines[index - 1]?.commit !== line.commit;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
              <tr key={index} data-first={isFirst || undefined}>
                <td
                  className="git-blame-who"
                  title={commit && `${visibleText(commit.subject)}\n${exactTime(commit.at)}`}
                >
                  {isFirst && commit ? (
                    <>
                      <span className="truncate">{visibleText(commit.author)}</span>{' '}
                      <time>{ago(commit.at, now)}</time>
                    </>
                  ) : null}
                </td>
                <td className="git-blame-number">{index + 1}</td>
                <td className="git-blame-text">{visibleText(line.text) || ' '}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {lines.length < value.lines.length ? (
        <Button look="link" className="git-more" onClick={() => setWhole(true)}>
          Show all {value.lines.length} lines
        </Button>
      ) : null}
    </>
  );
}
