import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useClient } from '../../kit/client-context.tsx';
import { newestSession } from '../../kit/newest-session.ts';
import { titleOf } from '../../kit/projects.ts';
import { showSession } from '../../kit/route.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

const EXAMPLES = [
  {
    title: 'Explain this project',
    prompt: 'Give me a tour of this codebase: how it’s organized and how to run it.',
  },
  {
    title: 'Run the tests',
    prompt: 'Run the tests. If anything fails, explain why before changing any code.',
  },
  {
    title: 'Review my changes',
    prompt: 'Review my uncommitted changes and the latest commits.',
  },
] as const;

export interface NewConversationProps {
  row: SessionRow | undefined;
  onChoose: (prompt: string) => void;
}

/** An empty conversation: three examples. Choosing one fills the composer and sends nothing. */
export function NewConversation({ row, onChoose }: NewConversationProps) {
  const deck = useReadable(useClient().deck);
  const choice = deck?.agents.find(({ name }) => name === row?.agent);
  const latest = deck && newestSession(deck, row?.project, row?.agent);
  const examples = choice?.examples ?? EXAMPLES;
  return (
    <section className="new-conversation" aria-label="New session">
      <h2>What do you want to work on?</h2>
      <ul>
        {examples.map(({ title, prompt }) => (
          <li key={title}>
            <button type="button" className="example" onClick={() => onChoose(prompt)}>
              <b>{title}</b>
              <span>{prompt}</span>
            </button>
          </li>
        ))}
      </ul>
      {latest ? (
        <Button
          look="link"
          title={`Continue “${visibleText(titleOf(latest))}”`}
          onClick={() => showSession(latest.id)}
        >
          Continue latest session
        </Button>
      ) : null}
      {choice?.note ? <p className="new-conversation-note">{choice.note}</p> : null}
    </section>
  );
}
