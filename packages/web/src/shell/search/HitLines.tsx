import type { Hit, Snippet } from '@tugdeck/protocol/search/search';
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { ago, exactTime } from '../../kit/format.ts';
import { findAgent } from '../../kit/machines.ts';
import { useNow } from '../../kit/use-now.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { KIND_LABELS } from './search-filters.ts';

export interface HitLinesProps {
  hit: Hit;
  deck: Deck | undefined;
}

export function HitLines({ hit, deck }: HitLinesProps) {
  const now = useNow('half-minute');
  const agent = findAgent(deck, hit.agent)?.label ?? hit.agent;
  return (
    <div className="hit">
      <span className="hit-kind" data-kind={hit.kind}>
        {KIND_LABELS[hit.kind]}
      </span>
      <span className="hit-title truncate">
        {hit.kind === 'title' ? <Found {...hit.snippet} /> : visibleText(hit.title)}
      </span>
      <time className="hit-time" title={exactTime(hit.at)}>
        {ago(hit.at, now)}
      </time>
      {hit.kind === 'title' ? null : (
        <span className="hit-text">
          <Found {...hit.snippet} />
        </span>
      )}
      <span className="hit-place truncate">{`${agent} · ${placeOf(hit, deck)}`}</span>
    </div>
  );
}

/** The project's name, or the full path outside of projects. */
function placeOf({ directory }: Hit, deck: Deck | undefined): string {
  const project = deck?.projects.find(({ path }) => directory === path || directory.startsWith(`${path}/`));
  return project
    ? visiblePath(`${project.name}${directory.slice(project.path.length)}`)
    : visiblePath(directory);
}

function Found({ text, found }: Snippet) {
  const parts = [];
  let at = 0;
  for (const [from, to] of found) {
    if (from < at || to > text.length) continue;
    parts.push(visibleText(text.slice(at, from)));
    parts.push(
      <mark key={from} className="matched">
        {visibleText(text.slice(from, to))}
      </mark>,
    );
    at = to;
  }
  parts.push(visibleText(text.slice(at)));
  return parts;
}
