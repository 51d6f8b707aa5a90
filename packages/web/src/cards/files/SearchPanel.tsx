/** Search in files: text or a pattern, hits as they arrive; Enter or a click opens the line. */
import { CaseSensitive, Regex, WholeWord } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { VList } from 'virtua';
import { openFile } from '../../features/files/open-file.ts';
import { plural } from '../../kit/format.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { type HitRow, hitRows, SearchModel, type SearchState } from './search-model.ts';
import type { FilesArea } from './tree-model.ts';

const TYPED_MS = 250;

export function SearchPanel({ files }: { files: FilesArea }) {
  const [model, setModel] = useState<SearchModel>();
  useEffect(() => {
    const made = new SearchModel(files);
    setModel(made);
    return () => made.close();
  }, [files]);
  return model ? <OpenSearch files={files} model={model} /> : null;
}

function OpenSearch({ files, model }: { files: FilesArea; model: SearchModel }) {
  const state = useReadable(model.state);
  const [text, setText] = useState('');
  const [isRegex, setRegex] = useState(false);
  const [isCaseSensitive, setCase] = useState(false);
  const [isWholeWord, setWord] = useState(false);
  useEffect(() => {
    const run = () => void model.run({ text, isRegex, isCaseSensitive, isWholeWord, folder: '' });
    const timer = setTimeout(run, text === '' ? 0 : TYPED_MS);
    return () => clearTimeout(timer);
  }, [model, text, isRegex, isCaseSensitive, isWholeWord]);
  const rows = useMemo(() => hitRows(state.hits), [state.hits]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') model.stop();
    const first = rows.find(({ hit }) => hit);
    if (event.key === 'Enter' && first?.hit) openFile(files.about.project, first.path, first.hit.line);
  };
  return (
    <div className="search-panel">
      <search className="search-query">
        <input
          className="field"
          type="text"
          aria-label="Search in files"
          placeholder="Search in files"
          autoComplete="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: it was just opened to be typed in
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton
          icon={CaseSensitive}
          label="Match case"
          aria-pressed={isCaseSensitive}
          onClick={() => setCase(!isCaseSensitive)}
        />
        <IconButton
          icon={WholeWord}
          label="Whole words"
          aria-pressed={isWholeWord}
          onClick={() => setWord(!isWholeWord)}
        />
        <IconButton
          icon={Regex}
          label="Regular expression"
          aria-pressed={isRegex}
          onClick={() => setRegex(!isRegex)}
        />
      </search>
      <p className="search-words" role="status" data-fault={state.fault !== undefined}>
        {outcome(state)}
      </p>
      <div className="search-hits">
        <VList style={{ height: '100%' }}>
          {rows.map((row) => (
            <HitLine
              key={row.key}
              row={row}
              onOpen={(line, isTemporary) => openFile(files.about.project, row.path, line, { isTemporary })}
            />
          ))}
        </VList>
      </div>
    </div>
  );
}

function HitLine({
  row,
  onOpen,
}: {
  row: HitRow;
  onOpen: (line: number | undefined, isTemporary: boolean) => void;
}) {
  const { path, hit, count } = row;
  const at = path.lastIndexOf('/') + 1;
  if (!hit) {
    return (
      <button
        type="button"
        className="hit-file"
        title={visiblePath(path)}
        onClick={(event) => onOpen(undefined, event.detail === 1)}
      >
        <span>{visiblePath(path.slice(at))}</span>
        <span className="muted truncate">{visiblePath(path.slice(0, at))}</span>
        <span className="hit-count">{count}</span>
      </button>
    );
  }
  return (
    <button type="button" className="hit-line" onClick={(event) => onOpen(hit.line, event.detail === 1)}>
      <span className="hit-number">{hit.line}</span>
      <span className="hit-line-text">
        {piecesOf(hit.text, hit.at).map(({ from, text, isHit }) =>
          isHit ? <mark key={from}>{visibleText(text)}</mark> : visibleText(text),
        )}
      </span>
    </button>
  );
}

/** Splits the line at its hits; leading whitespace is dropped. */
function piecesOf(text: string, at: readonly (readonly [number, number])[]) {
  const pieces: { from: number; text: string; isHit: boolean }[] = [];
  let place = Math.min(text.length - text.trimStart().length, at[0]?.[0] ?? 0);
  for (const [start, end] of at) {
    if (start > place) pieces.push({ from: place, text: text.slice(place, start), isHit: false });
    if (end > start) pieces.push({ from: start, text: text.slice(start, end), isHit: true });
    place = Math.max(place, end);
  }
  if (place < text.length) pieces.push({ from: place, text: text.slice(place), isHit: false });
  return pieces;
}

function outcome({ hits, isRunning, isCut, fault, hasSearched }: SearchState): string {
  if (fault !== undefined) return fault;
  if (!hasSearched) return '';
  const files = new Set(hits.map(({ path }) => path)).size;
  const found =
    hits.length === 0
      ? isRunning
        ? 'Searching…'
        : 'No results'
      : `${plural(hits.length, 'line')} in ${plural(files, 'file')}`;
  return isCut ? `${found}, and more` : found;
}
