/** The difference that a change makes to a file, and the only place where it is written (A61). */
import type { agentSetup, SetupChange, SetupPreview } from '@tugdeck/protocol/areas/agent-setup';
import { useState } from 'react';
import { faultText } from '../../../kit/deck-actions.ts';
import type { UsedArea } from '../../../kit/use-area.ts';
import { visibleExact, visiblePath } from '../../../kit/visible-text.ts';
import { AnswerNote } from '../../../ui/answers/AnswerNote.tsx';
import { useAnswerGuard } from '../../../ui/answers/use-answer-guard.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import '../../../features/diff/diff.css';

export type SetupChannel = NonNullable<UsedArea<typeof agentSetup>['channel']>;

export interface Reviewed {
  readonly change: SetupChange;
  readonly preview: SetupPreview;
}

interface SetupReviewProps extends Reviewed {
  channel: SetupChannel;
  onDone: () => void;
  onClose: () => void;
}

const KINDS = { ' ': 'same', '+': 'added', '-': 'removed', '…': 'gap' } as const;

export function SetupReview({ channel, change, preview: first, onDone, onClose }: SetupReviewProps) {
  const [preview, setPreview] = useState(first);
  const [fault, setFault] = useState<string>();
  const guard = useAnswerGuard(preview.hash);
  const write = async () => {
    if (!guard.mayAnswer()) return;
    try {
      await channel.call('apply', { change, hash: preview.hash });
      onDone();
    } catch (error) {
      setFault(faultText(error));
      // The next answer is for the file as it is now.
      await channel.call('preview', { change }).then(setPreview, () => undefined);
    }
  };
  const { file, isNew, isRemoved, lines, runs } = preview;
  return (
    <Dialog
      title={isRemoved ? 'Delete this file?' : isNew ? 'Create this file?' : 'Change this file?'}
      onClose={onClose}
    >
      <p className="dialog-text">
        <code>{visiblePath(file)}</code>
      </p>
      {runs.length === 0 ? null : (
        <div className="setup-runs">
          <p>The agent will run:</p>
          {runs.map((command) => (
            <pre key={command}>{visibleExact(command)}</pre>
          ))}
        </div>
      )}
      <section
        className="setup-diff"
        aria-label="Difference"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable to scroll it by keys
        tabIndex={0}
      >
        {lines.length === 0 ? <p className="settings-quiet">Nothing changes</p> : null}
        <table className="diff">
          <tbody>
            {lines.map(({ mark, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and none moves
              <tr key={index} data-kind={KINDS[mark]} data-indented={/^\s/.test(text) || undefined}>
                <td className="diff-sign" data-sign={mark === '-' ? '−' : mark} />
                <td className="diff-text">{visibleExact(text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      <div className="dialog-actions" ref={guard.ref} aria-disabled={guard.isResting || undefined}>
        <AnswerNote refusal={guard.refusal} />
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={lines.length === 0} onClick={() => void write()}>
          {isRemoved ? 'Delete file' : 'Write file'}
        </Button>
      </div>
    </Dialog>
  );
}
