import type { ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { Square } from 'lucide-react';
import { useState } from 'react';
import { faultText } from '../../../app/deck-actions.ts';
import { IconButton } from '../../../ui/IconButton.tsx';
import { useSelected } from '../../../ui/use-readable.ts';
import { useCard } from '../card-context.tsx';

/** Ends one subagent or background command, where the agent can; the turn and the others go on (C12). */
export function TaskStop({ entry }: { entry: ToolEntry }) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const [isAsked, setAsked] = useState(false);
  const canStop = useSelected(
    channel.view,
    ({ conversation }) => conversation.facts.controls?.includes('task.stop') === true,
  );
  const { task } = entry;
  if (!canStop || task === undefined) return null;
  const stop = () => {
    setAsked(true);
    setFault(undefined);
    channel
      .send({ kind: 'agent.control', what: 'task.stop', input: { task }, hidden: true })
      .catch((error) => {
        setAsked(false);
        setFault(faultText(error));
      });
  };
  return <IconButton icon={Square} label={fault ?? 'Stop this task'} disabled={isAsked} onClick={stop} />;
}
