/** `ask`: questions with one choice, with several, and with words of one's own. */
import { fieldsOf } from '../connection.ts';
import type { Turn } from '../turn.ts';

export async function ask(turn: Turn): Promise<void> {
  if (!turn.options.abilities.questions) {
    await turn.say('I would ask you something now, but this client does not show questions.');
    return;
  }
  const answer = await turn.request('elicitation/create', {
    mode: 'form',
    message: 'Two short questions',
    requestedSchema: {
      type: 'object',
      properties: {
        colour: {
          type: 'string',
          title: 'Which colour do you like best?',
          description: 'Colour',
          oneOf: [
            { const: 'blue', title: 'Blue', description: 'Like the sea on a clear day' },
            { const: 'green', title: 'Green', description: 'Like moss under old trees' },
            { const: 'red', title: 'Red', description: 'Like a tug boat' },
          ],
        },
        colour_other: { type: 'string', title: 'Another one' },
        parts: {
          type: 'array',
          title: 'What would you like to see next?',
          description: 'Next',
          items: {
            anyOf: [
              { const: 'edit', title: 'An edit', description: 'A file is changed, with a diff' },
              { const: 'run', title: 'A command', description: 'Its output comes live' },
              { const: 'plan', title: 'A plan', description: 'Steps that are ticked off' },
            ],
          },
        },
      },
    },
  });
  const { action, content } = fieldsOf(answer);
  if (action !== 'accept') {
    await turn.say('No answer is an answer too.');
    return;
  }
  const { colour, colour_other: other, parts } = fieldsOf(content);
  const next = Array.isArray(parts) && parts.length > 0 ? parts.map((part) => `\`${part}\``).join(', ') : '';
  await turn.say(
    `You chose **${String(other || colour || 'nothing')}**.${next === '' ? '' : ` To see more, type ${next}.`}`,
  );
}
