import { type ReactNode, useEffect, useRef, useState } from 'react';
import { plural } from '../../kit/format.ts';
import { AnswerNote } from '../../ui/answers/AnswerNote.tsx';
import type { AnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { Button } from '../../ui/Button.tsx';
import { RawInput, type RawPart } from './RawInput.tsx';

interface RequestActionsProps {
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

interface DenyWithMessageProps {
  reason: string;
  isWaiting: boolean;
  onChange: (reason: string) => void;
  /** `interrupt`: also ends the turn. */
  onDeny: (interrupt: boolean) => void;
}

/** Denies with a message: the agent continues with it or stops. */
export function DenyWithMessage({ reason, isWaiting, onChange, onDeny }: DenyWithMessageProps) {
  const field = useRef<HTMLInputElement>(null);
  // It was opened for typing.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  return (
    <form
      className="request-refusal"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '') onDeny(false);
      }}
    >
      <input
        ref={field}
        className="field"
        aria-label="Feedback"
        placeholder="What to do instead (sent with the denial)"
        value={reason}
        onChange={(event) => onChange(event.target.value)}
      />
      <Button disabled={isWaiting} onClick={() => onDeny(true)}>
        Deny and stop
      </Button>
    </form>
  );
}
