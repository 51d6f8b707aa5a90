import { useClient } from '../../kit/client-context.tsx';
import { useReadable } from '../../kit/use-readable.ts';

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
  /** The session's agent, which may have its own examples. */
  agent: string | undefined;
  onChoose: (prompt: string) => void;
}

/** An empty conversation: three examples. Choosing one fills the composer and sends nothing. */
export function NewConversation({ agent, onChoose }: NewConversationProps) {
  const deck = useReadable(useClient().deck);
  const choice = deck?.agents.find(({ name }) => name === agent);
  const examples = choice?.examples ?? EXAMPLES;
  return (
    <div className="new-conversation">
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
      {choice?.note ? <p className="new-conversation-note">{choice.note}</p> : null}
    </div>
  );
}
