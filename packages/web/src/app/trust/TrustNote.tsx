/**
 * The question of trust at a conversation (X6): asked by a dialog once per project, after that a line that says what
 * is left out. Nothing at all where the project brings nothing.
 */
import type { BroughtAnswer } from '@tugdeck/protocol/trust/brought';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { faultText } from '../deck-actions.ts';
import { fetchBrought } from './brought.ts';
import { broughtWords } from './brought-words.ts';
import { TrustDialog } from './TrustDialog.tsx';

export interface TrustNoteProps {
  project: string;
  agent: string;
  label: string;
  isAsked: boolean;
  onTrusted: () => void;
}

/** Two cards of one project ask once. */
const asked = new Set<string>();

export default function TrustNote({ project, agent, label, isAsked, onTrusted }: TrustNoteProps) {
  const [answer, setAnswer] = useState<BroughtAnswer>();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const control = new AbortController();
    fetchBrought(project, agent, control.signal).then(setAnswer, (error) => {
      if (!control.signal.aborted) console.warn(faultText(error));
    });
    return () => control.abort();
  }, [project, agent]);
  const bringsSome = (answer?.brought.length ?? 0) > 0;
  useEffect(() => {
    if (!bringsSome || isAsked || asked.has(project)) return;
    asked.add(project);
    setOpen(true);
  }, [bringsSome, isAsked, project]);
  if (!answer || !bringsSome) return null;
  return (
    <div className="trust-note" role="note">
      <span>
        {label} runs without what this project brings: {broughtWords(answer.brought)}.
      </span>
      <Button look="link" onClick={() => setOpen(true)}>
        Review
      </Button>
      {isOpen ? (
        <TrustDialog
          project={project}
          label={label}
          answer={answer}
          onDecided={(trust) => {
            setOpen(false);
            if (trust === 'yes') onTrusted();
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </div>
  );
}
