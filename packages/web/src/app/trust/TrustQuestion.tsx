import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import { useEffect, useState } from 'react';
import { useReadable } from '../../ui/use-readable.ts';
import { useClient } from '../client-context.tsx';
import { faultText } from '../deck-actions.ts';
import { type OpenQuestion, openQuestion } from './ask-trust.ts';
import { fetchBrought } from './brought.ts';
import { TrustDialog } from './TrustDialog.tsx';

/** Draws the open question of trust, if there is one. */
export function TrustQuestion() {
  const question = useReadable(openQuestion);
  return question ? <Asked key={`${question.project} ${question.agent}`} question={question} /> : null;
}

function Asked({ question }: { question: OpenQuestion }) {
  const { project, agent, decided } = question;
  const client = useClient();
  const [config, setConfig] = useState<ProjectConfig>();
  useEffect(() => {
    const control = new AbortController();
    fetchBrought(project, agent, control.signal).then(setConfig, (error) => {
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
