import type { PlanEntry } from '@tugdeck/protocol/conversation/entries';
import { ClipboardList } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { StreamedText } from '../entries/StreamedText.tsx';
import { MoreText } from '../results/MoreText.tsx';
import { RequestFrame } from './RequestFrame.tsx';
import { useAnswer } from './use-answer.ts';

/** A plan that waits. Loaded when there is one. */
export function OpenPlan({ entry }: { entry: PlanEntry }) {
  const { modes, path } = entry.request;
  const { isFresh, isWaiting, fault, send } = useAnswer(entry);
  const [mode, setMode] = useState(modes[0]?.id);
  const [comment, setComment] = useState('');
  const message = comment.trim() === '' ? {} : { message: comment.trim() };
  return (
    <RequestFrame entry={entry} isFresh={isFresh} tone="primary" label="Plan">
      <div className="request-title">
        <Icon icon={ClipboardList} />
        <span>Plan</span>
        {path ? <code className="muted truncate">{visibleText(path)}</code> : null}
      </div>
      <StreamedText id={entry.id} />
      {entry.more ? <MoreText more={entry.more} /> : null}
      <input
        className="field"
        aria-label="Comment"
        placeholder="What should be different"
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="request-actions">
        <Button
          look="primary"
          disabled={isWaiting}
          onClick={() => send({ type: 'plan', approve: true, ...(mode ? { mode } : {}), ...message })}
        >
          Approve
        </Button>
        {modes.length > 0 ? (
          <select
            className="field request-mode"
            aria-label="Go on in mode"
            value={mode}
            onChange={(event) => setMode(event.target.value)}
          >
            {modes.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        ) : null}
        <span className="request-space" />
        <Button disabled={isWaiting} onClick={() => send({ type: 'plan', approve: false, ...message })}>
          Keep planning
        </Button>
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </RequestFrame>
  );
}
