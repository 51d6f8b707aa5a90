import { useMemo } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyIcon } from '../tool-results/CopyIcon.tsx';
import { LongLines } from '../tool-results/RequestText.tsx';
import { rawJson, visibleJson } from '../tool-results/raw-json.ts';
import { useWholeData } from '../tool-results/use-whole-data.ts';

export interface RawPart {
  readonly title: string;
  /** As sent. Blobs are loaded here, once, so that data cannot pose as a reference. */
  readonly value: unknown;
  /** The value is JSON text. */
  readonly isText?: boolean;
}

/** The raw input, complete: no field omitted, nothing shortened, hidden characters escaped. */
export function RawInput({ parts }: { parts: readonly RawPart[] }) {
  return (
    <section className="request-raw" aria-label="Raw input">
      {parts.map((part) => (
        <RawPartView key={part.title} {...part} />
      ))}
    </section>
  );
}

function RawPartView({ title, value, isText = false }: RawPart) {
  const { value: whole, load, fault } = useWholeData(value, true);
  const text = useMemo(() => (isText ? visibleJson(String(whole)) : rawJson(whole)), [isText, whole]);
  return (
    <>
      <div className="request-raw-head">
        <h4>{title}</h4>
        {load ? null : <CopyIcon label={`Copy ${title.toLowerCase()}`} text={() => text} />}
      </div>
      {load ? (
        <p className={fault ? 'fault' : 'result-note'}>
          {fault ?? 'Loading…'}{' '}
          {fault ? (
            <Button look="link" onClick={load}>
              Try again
            </Button>
          ) : null}
        </p>
      ) : (
        <LongLines text={text} isExact />
      )}
    </>
  );
}
