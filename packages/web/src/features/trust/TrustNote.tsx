/**
 * The trust prompt of a conversation (X6): shown once per page and project when the agent needs an answer or omits
 * something; afterwards a line says what is missing. Empty if the project is trusted.
 */
import { describeConfig } from '@tugdeck/protocol/trust/config-summary';
import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import { useEffect, useState } from 'react';
import { askTrust } from '../../kit/ask-trust.ts';
import { faultText } from '../../kit/deck-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { fetchProjectConfig } from './project-config.ts';
import './trust.css';

export interface TrustNoteProps {
  project: string;
  agent: string;
  label: string;
  /** Changes whenever the configuration may have changed. */
  moment: string;
  /** An external session: viewing it starts nothing, so the prompt waits until the user opens it. */
  isOnlyRead: boolean;
  /** The start of the agent was refused. */
  isRefused: boolean;
  onTrusted: () => void;
}

/** Prompts already shown: two cards of one project prompt once per configuration. */
const promptedConfigs = new Set<string>();

export default function TrustNote({
  project,
  agent,
  label,
  moment,
  isOnlyRead,
  isRefused,
  onTrusted,
}: TrustNoteProps) {
  const [config, setConfig] = useState<ProjectConfig>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `moment` represents the server's state
  useEffect(() => {
    const control = new AbortController();
    fetchProjectConfig(project, agent, control.signal).then(setConfig, (error) => {
      if (!control.signal.aborted) console.warn(faultText(error));
    });
    return () => control.abort();
  }, [project, agent, moment]);
  const review = () =>
    void askTrust(project, agent).then((decision) => {
      if (decision === 'yes') onTrusted();
    });
  const isMissing = config !== undefined && config.state !== 'trusted' && !config.readsNone;
  const isNeeded = isMissing && (!config.canLeaveOut || config.brought.length > 0);
  const question = isNeeded && config.state !== 'refused' ? `${config.repository} ${config.hash}` : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the configuration only
  useEffect(() => {
    if (isOnlyRead || question === undefined || promptedConfigs.has(question)) return;
    promptedConfigs.add(question);
    review();
  }, [question, isOnlyRead]);
  const isWanted = isRefused && isNeeded && config.state !== 'refused';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per refused start
  useEffect(() => {
    if (isWanted) review();
  }, [isWanted]);
  if (!isNeeded || (isOnlyRead && config.canLeaveOut)) return null;
  const summary = describeConfig(config.brought.filter(({ change }) => change !== 'removed'));
  return (
    <div className="trust-note" role="note">
      <span>
        {config.canLeaveOut
          ? `${label} runs without this project’s configuration: ${summary}.`
          : `${label} won’t start until you trust this project${config.state === 'changed' ? ' again: its configuration changed' : ''}.`}
      </span>
      <Button look="link" onClick={review}>
        Review
      </Button>
    </div>
  );
}
