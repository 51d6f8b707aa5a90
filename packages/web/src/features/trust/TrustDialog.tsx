import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import { useState } from 'react';
import { isUntrusted, type TrustDecision } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import { type AnswerGuard, useAnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ConfigList } from './ConfigList.tsx';
import { fetchProjectConfig } from './project-config.ts';
import './trust.css';
import { AnswerNote } from '../../ui/answers/AnswerNote.tsx';
import { Button } from '../../ui/Button.tsx';

interface TrustDialogProps {
  project: string;
  agent: string;
  /** The agent's display name. */
  label: string;
  config: ProjectConfig;
  onDecided: (decision: TrustDecision) => void;
}

/** Shows the project's agent configuration before any of it takes effect (X6). */
export function TrustDialog({ project, agent, label, config: first, onDecided }: TrustDialogProps) {
  const client = useClient();
  const [config, setConfig] = useState(first);
  const [fault, setFault] = useState<string>();
  const guard = useAnswerGuard(`${project} ${config.hash}`);
  const decide = async (trust: 'yes' | 'no') => {
    if (!guard.mayAnswer()) return;
    try {
      await client.request({ type: 'project.trust', project, trust, seen: config.hash });
      onDecided(trust);
    } catch (error) {
      setFault(faultText(error));
      // The configuration has changed: the next answer applies to the new one.
      if (isUntrusted(error))
        setConfig(await fetchProjectConfig(project, agent, new AbortController().signal));
    }
  };
  const isChanged = config.state === 'changed';
  return (
    <Dialog
      title={isChanged ? 'Trust this project again?' : 'Trust this project?'}
      onClose={() => onDecided('closed')}
    >
      <p className="dialog-text">
        {isChanged
          ? 'The configuration for agents changed since you trusted it in '
          : 'Agents read configuration from '}
        <code className="trust-place">{visiblePath(config.repository)}</code>
        {isChanged ? '. ' : ' and run it as you, on this machine. '}
        {config.canLeaveOut
          ? `Until you trust it, ${label} starts without it.`
          : `${label} can’t ignore it, so it won’t start until you trust it.`}
      </p>
      <ConfigList items={config.brought} isChanged={isChanged} />
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      <TrustActions
        guard={guard}
        canLeaveOut={config.canLeaveOut}
        onTrust={() => decide('yes')}
        onRefuse={() => (config.canLeaveOut ? decide('no') : onDecided('closed'))}
      />
    </Dialog>
  );
}

interface TrustActionsProps {
  guard: AnswerGuard;
  canLeaveOut: boolean;
  onTrust: () => void;
  onRefuse: () => void;
}

/** The buttons of the trust dialog: the only place where a project is trusted. */
function TrustActions({ guard, canLeaveOut, onTrust, onRefuse }: TrustActionsProps) {
  return (
    <div className="dialog-actions" ref={guard.ref} aria-disabled={guard.isResting || undefined}>
      <AnswerNote refusal={guard.refusal} />
      <Button onClick={onRefuse}>{canLeaveOut ? 'Start without it' : 'Cancel'}</Button>
      <Button look="primary" onClick={onTrust}>
        Trust
      </Button>
    </div>
  );
}
