import { type ReactNode, useState } from 'react';
import { plural } from '../../kit/format.ts';
import { AnswerNote } from '../../ui/answers/AnswerNote.tsx';
import type { AnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { Button } from '../../ui/Button.tsx';
import { RawInput, type RawPart } from './RawInput.tsx';

export interface RequestActionsProps {
  guard: AnswerGuard;
  /** The raw input, one click away in every request. */
  raw: readonly RawPart[];
  /** Number of input fields that the request does not list. */
  unlisted?: number;
  children: ReactNode;
}

/** The buttons that answer a request. An ignored press is explained above them. */
export function RequestActions({ guard, raw, unlisted = 0, children }: RequestActionsProps) {
  const [isRaw, setRaw] = useState(false);
  return (
    <>
      {isRaw ? <RawInput parts={raw} /> : null}
      <div className="request-actions">
        {children}
        {raw.length > 0 ? (
          <Button look="quiet" aria-expanded={isRaw} onClick={() => setRaw(!isRaw)}>
            Raw input{unlisted > 0 ? ` (${plural(unlisted, 'more field')})` : ''}
          </Button>
        ) : null}
        <AnswerNote refusal={guard.refusal} />
      </div>
    </>
  );
}
