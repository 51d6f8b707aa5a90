/** `ask`: a form with a single choice, a multiple choice and free text. */
import { fieldsOf } from '../connection.ts';
import type { Turn } from '../turn.ts';

export async function ask(turn: Turn): Promise<void> {
  if (!turn.options.capabilities.questions) {
    await turn.say('I’d ask you a question now, but this client doesn’t support questions.');
    return;
  }
  const answer = await turn.request('elicitation/create', {
    mode: 'form',
    message: 'Two quick questions',
    requestedSchema: {
      type: 'object',
      properties: {
        color: {
          type: 'string',
          title: 'Which color do you like best?',
          description: 'Color',
          oneOf: [
            { const: 'blue', title: 'Blue', description: 'Like the sea on a clear day' },
            { const: 'green', title: 'Green', description: 'Like moss under old trees' },
            { const: 'red', title: 'Red', description: 'Like a tugboat' },
          ],
        },
        color_other: { type: 'string', title: 'Something else' },
        next: {
          type: 'array',
          title: 'What would you like to see next?',
          description: 'Next',
          items: {
            anyOf: [
              { const: 'edit', title: 'An edit', description: 'Change a file and show the diff' },
              { const: 'run', title: 'A command', description: 'Stream its output live' },
              { const: 'plan', title: 'A plan', description: 'Check off steps one by one' },
            ],
          },
        },
      },
    },
  });
  const { action, content } = fieldsOf(answer);
  if (action !== 'accept') {
    await turn.say('No problem, skipping that.');
    return;
  }
  const { color, color_other: other, next: scenes } = fieldsOf(content);
  const names = Array.isArray(scenes) ? scenes.map((scene) => `\`${scene}\``).join(', ') : '';
  await turn.say(
    `You chose **${String(other || color || 'nothing')}**.${names === '' ? '' : ` Type ${names} to see it.`}`,
  );
}
