/** What an empty conversation shows: three ways to begin. Choosing one fills the composer and sends nothing. */
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

export function NewConversation({ onChoose }: { onChoose: (prompt: string) => void }) {
  return (
    <div className="new-conversation">
      <h2>What shall be done?</h2>
      <ul>
        {EXAMPLES.map(({ title, prompt }) => (
          <li key={title}>
            <button type="button" className="example" onClick={() => onChoose(prompt)}>
              <b>{title}</b>
              <span>{prompt}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
