import type { ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { ScrollText, SendToBack, Square } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { useDirectory } from '../conversation/project-paths.ts';
import { queryAgent, requestControl } from '../conversation/request-control.ts';
import { TerminalText } from '../tool-results/TerminalResult.tsx';
import { toolTitle } from './tool-title.ts';

/**
 * Actions for a running subagent or command, if the agent offers them (C12): move it to the background, read its
 * output, stop it. The turn continues.
 */
export function TaskControls({ entry }: { entry: ToolEntry }) {
  const { channel } = useCard();
  const controls = useSelected(channel.view, ({ conversation }) => conversation.facts.controls);
  const { task, id, state } = entry;
  const [fault, setFault] = useState<string>();
  const [requested, setRequested] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  if (task === undefined) return null;
  const can = (what: string) => controls?.includes(what) === true;
  const request = (what: string, input: Readonly<Record<string, string>>) => () => {
    setRequested(what);
    setFault(undefined);
    requestControl(channel, what, input).then(
      ({ status, text }) => {
        if (status === 'complete') return;
        setRequested(undefined);
        setFault(text);
      },
      (error) => {
        setRequested(undefined);
        setFault(faultText(error));
      },
    );
  };
  return (
    <>
      {fault ? (
        <span className="task-fault truncate" role="alert" title={fault}>
          {fault}
        </span>
      ) : null}
      {can('task.background') && state === 'running' ? (
        <IconButton
          icon={SendToBack}
          label="Run in background"
          disabled={requested === 'task.background'}
          onClick={request('task.background', { tool: id })}
        />
      ) : null}
      {can('task.output') ? (
        <IconButton icon={ScrollText} label="Show output" onClick={() => setOpen(true)} />
      ) : null}
      {can('task.stop') ? (
        <IconButton
          icon={Square}
          label="Stop this task"
          disabled={requested === 'task.stop'}
          onClick={request('task.stop', { task })}
        />
      ) : null}
      {isOpen ? <TaskOutput entry={entry} task={task} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface TaskOutputProps {
  entry: ToolEntry;
  task: string;
  onClose: () => void;
}

/** The task's output so far, which the agent reports only on request. */
function TaskOutput({ entry, task, onClose }: TaskOutputProps) {
  const { channel } = useCard();
  const { full } = toolTitle(entry, useDirectory());
  const [answer, setAnswer] = useState<{ text: string; isFault: boolean }>();
  const [isLoading, setLoading] = useState(false);
  const read = useCallback(() => {
    setLoading(true);
    queryAgent(channel, 'task.output', { task })
      .then(
        ({ ok, text }) => setAnswer({ text, isFault: !ok }),
        (error) => setAnswer({ text: faultText(error), isFault: true }),
      )
      .finally(() => setLoading(false));
  }, [channel, task]);
  useEffect(read, [read]);
  return (
    <Dialog title="Task output" onClose={onClose}>
      <p className="dialog-text truncate" title={full}>
        {full}
      </p>
      {answer === undefined ? <p className="muted">Loading…</p> : null}
      {answer?.isFault ? (
        <p className="fault" role="alert">
          {answer.text}
        </p>
      ) : null}
      {answer && !answer.isFault ? (
        answer.text === '' ? (
          <p className="muted">No output yet</p>
        ) : (
          <TerminalText text={answer.text} />
        )
      ) : null}
      <div className="dialog-actions">
        <Button disabled={isLoading} onClick={read}>
          Refresh
        </Button>
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
