import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { useMemo } from 'react';
import { CutLines } from './CutLines.tsx';
import { LongTextView } from './LongTextView.tsx';
import { type MatchGroup, matchGroups } from './match-groups.ts';
import { PathLink } from './PathLink.tsx';

export interface MatchesResultProps {
  files: readonly string[];
  text: LongText | undefined;
}

/** Search results: lines by file, or only the files. */
export function MatchesResult({ files, text }: MatchesResultProps) {
  const groups = useMemo(() => (typeof text === 'string' ? matchGroups(text) : undefined), [text]);
  if (groups) return <MatchLines groups={groups} />;
  if (text !== undefined && text !== '') return <LongTextView text={text} />;
  if (files.length === 0) return <p className="result-note">No matches</p>;
  return <MatchFiles files={files} />;
}

function MatchFiles({ files }: { files: readonly string[] }) {
  return (
    <CutLines total={files.length}>
      {(shown) => (
        <ul className="match-files">
          {files.slice(0, shown).map((file) => (
            <li key={file} className="truncate">
              <PathLink path={file} />
            </li>
          ))}
        </ul>
      )}
    </CutLines>
  );
}

function MatchLines({ groups }: { groups: readonly MatchGroup[] }) {
  const total = groups.reduce((sum, { lines }) => sum + lines.length + 1, 0);
  return (
    <CutLines total={total}>
      {(shown) => {
        let left = shown;
        const drawn = groups.flatMap(({ path, lines }) => {
          const here = lines.slice(0, Math.max(0, left - 1));
          left -= lines.length + 1;
          return here.length > 0 ? [{ path, lines: here }] : [];
        });
        return (
          <div className="match-groups">
            {drawn.map(({ path, lines }) => (
              <section key={path}>
                <h4 className="truncate">
                  <PathLink path={path} {...lineOf(lines)} />
                </h4>
                {lines.map(({ number, text }) => (
                  <div key={number} className="match-line">
                    <span className="match-number" data-number={number} />
                    <span>{text}</span>
                  </div>
                ))}
              </section>
            ))}
          </div>
        );
      }}
    </CutLines>
  );
}

/** The line of the first match, where the file opens. */
function lineOf(lines: MatchGroup['lines']): { line?: number } {
  const line = Number(lines[0]?.number);
  return Number.isInteger(line) ? { line } : {};
}
