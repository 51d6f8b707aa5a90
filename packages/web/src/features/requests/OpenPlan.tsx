import type { PlanEntry } from '@tugdeck/protocol/conversation/entries';
import { ClipboardList } from 'lucide-react';
import { useState } from 'react';
import { isLimited } from '../../kit/limited.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { StreamedText } from '../conversation/StreamedText.tsx';
import { MoreText } from '../tool-results/MoreText.tsx';
import { RequestPathView } from '../tool-results/RequestPathView.tsx';
import { rawParts } from './permission-parts.ts';
import { RequestActions } from './RequestActions.tsx';
import { RequestFrame } from './RequestFrame.tsx';
import { useAnswer } from './use-answer.ts';

/** An open plan request. Loaded when there is one. */
export function OpenPlan({ entry }: { entry: PlanEntry }) {
  const { modes, path, canEdit = false } = entry.request;
  const { guard, isWaiting, fault, send } = useAnswer(entry);
  const [mode, setMode] = useState(modes[0]?.id);
  const [comment, setComment] = useState('');
  const [edited, setEdited] = useState<string>();
  const isPlain = useReadable(isLimited);
  const plan = edited === undefined || edited === entry.text ? {} : { plan: edited };
  const message: { message?: string } = comment.trim() === '' ? {} : { message: comment.trim() };
  return (
    <RequestFrame entry={entry} guard={guard} tone="primary" label="Plan">
      <div className="request-title">
        <Icon icon={ClipboardList} />
        <span>Plan</span>
        {path ? <RequestPathView path={path} /> : null}
      </div>
      {edited === undefined ? (
        <>
          <StreamedText id={entry.id} />
          {entry.more ? <MoreText more={entry.more} /> : null}
        </>
      ) : (
        <textarea
          className="field mono"
          aria-label="Plan text"
          rows={Math.min(24, edited.split('\n').length + 1)}
          value={edited}
          onChange={(event) => setEdited(event.target.value)}
        />
      )}
      <input
        className="field"
        aria-label="Comment"
        placeholder="What should change? (optional)"
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <RequestActions guard={guard} raw={rawParts(entry.request)}>
        <Button
          look="primary"
          // Other agents take no message with an approval: it would be lost.
          disabled={
            isWaiting || edited?.trim() === '' || ((!canEdit || isPlain) && message.message !== undefined)
          }
          onClick={() =>
            send({ type: 'plan', approve: true, ...(mode ? { mode } : {}), ...plan, ...message })
          }
        >
          Approve
        </Button>
        {modes.length > 0 && !isPlain ? (
          <select
            className="field request-mode"
            aria-label="Continue in mode"
            value={mode}
            onChange={(event) => setMode(event.target.value)}
          >
            {modes.map(({ id, label }) => (
              <option key={id} value={id}>
                {visibleText(label)}
              </option>
            ))}
          </select>
        ) : null}
        {canEdit && !entry.more && !isPlain ? (
          <Button onClick={() => setEdited(edited === undefined ? entry.text : undefined)}>
            {edited === undefined ? 'Edit' : 'Discard edits'}
          </Button>
        ) : null}
        <span className="request-space" />
        <Button disabled={isWaiting} onClick={() => send({ type: 'plan', approve: false, ...message })}>
          Keep planning
        </Button>
      </RequestActions>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </RequestFrame>
  );
}
