import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import { useEffect, useState } from 'react';
import { type TrustPrompt, trustPrompt } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { fetchProjectConfig } from './project-config.ts';
import { TrustDialog } from './TrustDialog.tsx';

/** Renders the open trust prompt. */
export function TrustQuestion() {
  const question = useReadable(trustPrompt);
  return question ? (
    <TrustPromptDialog key={`${question.project} ${question.agent}`} question={question} />
  ) : null;
}

function TrustPromptDialog({ question }: { question: TrustPrompt }) {
  const { project, agent, decided } = question;
  const client = useClient();
  const [config, setConfig] = useState<ProjectConfig>();
  useEffect(() => {
    const control = new AbortController();
    fetchProjectConfig(project, agent, control.signal).then(setConfig, (error) => {
      if (control.signal.aborted) return;
      console.warn(faultText(error));
      decided('closed');
    });
    return () => control.abort();
  }, [project, agent, decided]);
  if (!config) return null;
  const label = client.deck.get()?.agents.find(({ name }) => name === agent)?.label ?? 'The agent';
  return <TrustDialog project={project} agent={agent} label={label} config={config} onDecided={decided} />;
}
