import { useClient } from '../../app/client-context.tsx';
import { useReadable } from '../../ui/use-readable.ts';

const EXAMPLES = [
  { title: 'Get to know it', prompt: 'Read this project and tell me how it is organised and how to run it.' },
  {
    title: 'Check its health',
    prompt: 'Run the tests. If something fails, find out why before changing anything.',
  },
  {
    title: 'Look at recent work',
    prompt: 'Look at the uncommitted changes and the last commits and review them.',
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
      <h2>What shall be done?</h2>
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
