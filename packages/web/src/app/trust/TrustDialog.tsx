import type { BroughtAnswer } from '@tugdeck/protocol/trust/brought';
import { useState } from 'react';
import { AnswerNote } from '../../ui/answers/AnswerNote.tsx';
import { useAnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useClient } from '../client-context.tsx';
import { faultText } from '../deck-actions.ts';
import { groupsOf } from './brought-words.ts';
import './trust.css';

export interface TrustDialogProps {
  project: string;
  /** The agent, as people call it. */
  label: string;
  answer: BroughtAnswer;
  onDecided: (trust: 'yes' | 'no') => void;
  onClose: () => void;
}

/** Everything that a project would bring, before any of it takes effect (X6). */
export function TrustDialog({ project, label, answer, onDecided, onClose }: TrustDialogProps) {
  const client = useClient();
  const [fault, setFault] = useState<string>();
  const guard = useAnswerGuard(project);
  const decide = async (trust: 'yes' | 'no') => {
    if (!guard.mayAnswer()) return;
    try {
      await client.request({ type: 'project.trust', project, trust });
      onDecided(trust);
    } catch (error) {
      setFault(faultText(error));
    }
  };
  const without = answer.canLeaveOut
    ? `Until you trust it, ${label} starts without them.`
    : `${label} cannot start without them.`;
  return (
    <Dialog title="Trust this project?" onClose={onClose}>
      <p className="dialog-text">
        Its files would change what {label} does and runs here, as you, on this machine. {without}
      </p>
      <section
        className="trust-list"
        aria-label="What it brings"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable to scroll it by keys
        tabIndex={0}
      >
        {groupsOf(answer.brought).map(({ kind, title, items }) => (
          <section key={kind}>
            <h3>{title}</h3>
            <ul>
              {items.map(({ path, text }) => (
                <li key={`${path} ${text}`}>
                  {text === '' ? null : <code>{visibleText(text)}</code>}
                  <span className="muted">{visibleText(path)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {answer.cut ? <p className="muted">And more than can be listed here.</p> : null}
      </section>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      <div className="dialog-actions" ref={guard.ref} aria-disabled={guard.isResting || undefined}>
        <AnswerNote refusal={guard.refusal} />
        <Button onClick={() => (answer.canLeaveOut ? decide('no') : onClose())}>
          {answer.canLeaveOut ? 'Start without them' : 'Cancel'}
        </Button>
        <Button look="warning" onClick={() => decide('yes')}>
          Trust
        </Button>
      </div>
    </Dialog>
  );
}
