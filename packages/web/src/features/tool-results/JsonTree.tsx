/** JSON as a tree: small values expanded, large ones collapsed and not rendered. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { plural } from '../../kit/format.ts';
import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { isBlob } from '../conversation/blob-refs.ts';
import { isExpandedAtFirst, type JsonPart, partsOf, summaryOf } from './json-parts.ts';
import { useWholeData } from './use-whole-data.ts';

const MAX_PARTS = 50;
const MAX_LENGTH = 300;

export function JsonTree({ value }: { value: unknown }) {
  const state = useWholeData(value);
  // A blob of which only the ends are loaded has no structure yet.
  const isEnds = state.load !== undefined && isBlob(value);
  return (
    <div className="json">
      {isEnds ? (
        <pre className="plain">{visibleExact(`${value.head}\n…`)}</pre>
      ) : (
        <JsonValue name={undefined} value={state.value} depth={0} />
      )}
      {state.load ? (
        <Button look="link" className="show-all" onClick={state.load}>
          Show all
        </Button>
      ) : null}
      {state.fault ? <p className="fault">{state.fault}</p> : null}
    </div>
  );
}

interface JsonValueProps {
  name: string | undefined;
  value: unknown;
  depth: number;
}

function JsonValue({ name, value: raw, depth }: JsonValueProps) {
  // A text that is not loaded yet is shown by its beginning.
  const value = isBlob(raw) ? `${raw.head}…` : raw;
  const parts = partsOf(value);
  return parts ? (
    <JsonBranch name={name} value={value} parts={parts} depth={depth} />
  ) : (
    <div className="json-line">
      <JsonName name={name} />
      <JsonLeaf value={value} />
    </div>
  );
}

function JsonBranch({ name, value, parts, depth }: JsonValueProps & { parts: readonly JsonPart[] }) {
  const [isOpen, setOpen] = useState(() => isExpandedAtFirst(parts, depth));
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? parts : parts.slice(0, MAX_PARTS);
  return (
    <>
      <button
        type="button"
        className="json-line json-fold"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon icon={isOpen ? ChevronDown : ChevronRight} size={12} />
        <JsonName name={name} />
        <span className="json-summary">{summaryOf(value)}</span>
      </button>
      {isOpen ? (
        <div className="json-inside">
          {shown.map((part) => (
            <JsonValue key={part.name} name={part.name} value={part.value} depth={depth + 1} />
          ))}
          {shown.length < parts.length ? (
            <Button look="link" className="show-all" onClick={() => setWhole(true)}>
              Show all {plural(parts.length, 'item')}
            </Button>
          ) : null}
        </div>
      ) : null}
    </>
  );
}

function JsonName({ name }: { name: string | undefined }) {
  return name === undefined ? null : (
    <>
      <span className="syntax-attribute">{visibleExact(name)}</span>
      <span className="syntax-punctuation">: </span>
    </>
  );
}

function JsonLeaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') {
    return (
      <span className={typeof value === 'number' ? 'syntax-number' : 'syntax-constant'}>
        {JSON.stringify(value) ?? 'nothing'}
      </span>
    );
  }
  const isCut = !isWhole && value.length > MAX_LENGTH;
  return (
    <span className="json-text syntax-string">
      {isCut ? `${visibleExact(value.slice(0, MAX_LENGTH))}…` : visibleExact(value) || '""'}
      {isCut ? (
        <Button look="link" className="show-all" onClick={() => setWhole(true)}>
          {' '}
          Show all {plural(value.length, 'character')}
        </Button>
      ) : null}
    </span>
  );
}

/** Complete, expanded JSON for a request: the user has to see what is allowed. */
export function JsonText({ value }: { value: unknown }) {
  const state = useWholeData(value, true);
  return (
    <>
      <pre className="plain">{visibleExact(JSON.stringify(state.value, null, 2) ?? 'nothing')}</pre>
      {state.fault && state.load ? (
        <p className="fault">
          {state.fault}{' '}
          <Button look="link" onClick={state.load}>
            Try again
          </Button>
        </p>
      ) : null}
    </>
  );
}
