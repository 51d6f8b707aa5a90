/** Lists the tools of an MCP server with their schemas, which starts it: the command is shown and confirmed (A61). */
import type { agentSetup, SetupItem } from '@tugdeck/protocol/areas/agent-setup';
import type { CallOutput } from '@tugdeck/protocol/areas/area';
import { useState } from 'react';
import { faultText } from '../../../kit/deck-actions.ts';
import { visibleExact, visibleText } from '../../../kit/visible-text.ts';
import { AnswerNote } from '../../../ui/answers/AnswerNote.tsx';
import { useAnswerGuard } from '../../../ui/answers/use-answer-guard.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import type { SetupChannel } from './SetupReview.tsx';

interface ServerToolsProps {
  agent: string;
  item: SetupItem;
  channel: SetupChannel;
  onClose: () => void;
}

type Tools = CallOutput<typeof agentSetup, 'tools'>['tools'];

export function ServerTools({ agent, item, channel, onClose }: ServerToolsProps) {
  const { name, place, key, runs = '' } = item;
  const [tools, setTools] = useState<Tools>();
  const [isStarting, setStarting] = useState(false);
  const [fault, setFault] = useState<string>();
  const guard = useAnswerGuard(runs);
  const start = async () => {
    if (!guard.mayAnswer()) return;
    setStarting(true);
    setFault(undefined);
    try {
      setTools((await channel.call('tools', { agent, place, key, runs })).tools);
    } catch (error) {
      setFault(faultText(error));
    } finally {
      setStarting(false);
    }
  };
  return (
    <Dialog title={`Tools of ${visibleText(name)}`} onClose={onClose}>
      {tools ? (
        <ToolList tools={tools} />
      ) : (
        <div className="setup-runs">
          <p>This starts the server, lists its tools and stops it:</p>
          <pre>{visibleExact(runs)}</pre>
        </div>
      )}
      {fault ? (
        <p className="fault" role="alert">
          {visibleText(fault)}
        </p>
      ) : null}
      <div className="dialog-actions" ref={guard.ref} aria-disabled={guard.isResting || undefined}>
        <AnswerNote refusal={guard.refusal} />
        <Button onClick={onClose}>{tools ? 'Close' : 'Cancel'}</Button>
        {tools ? null : (
          <Button look="primary" disabled={isStarting} onClick={() => void start()}>
            {isStarting ? 'Starting…' : 'Start server'}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function ToolList({ tools }: { tools: Tools }) {
  if (tools.length === 0) return <p className="settings-quiet">No tools</p>;
  return (
    <ul className="setup-tools" aria-label="Tools">
      {tools.map((tool) => (
        <li key={tool.name}>
          <strong>{visibleText(tool.name)}</strong>
          <p className="settings-quiet">{visibleText(tool.description ?? '')}</p>
          <details>
            <summary>Input</summary>
            <pre>{visibleExact(JSON.stringify(tool.inputSchema, null, 2) ?? '')}</pre>
          </details>
        </li>
      ))}
    </ul>
  );
}
