/** The scenes that need no module of their own. */
import { RpcFault } from '../connection.ts';
import type { Turn } from '../turn.ts';
import { text } from './edit.ts';
import { picture } from './picture.ts';

export async function think(turn: Turn): Promise<void> {
  await turn.think(
    'The user wants to see me think. I should be honest: I follow a script. Still, a thought has a beginning, a middle, and an end, and it is shown apart from the answer.',
  );
  await turn.say('I thought about it. You can unfold the thought above.');
}

export async function fail(turn: Turn, rest: string): Promise<void> {
  if (rest.trim() === 'crash') {
    await turn.say('Goodbye: this ends the agent, and the session host starts it again.');
    process.exit(1);
  }
  const tool = turn.tool({ kind: 'fetch', title: 'Fetch a page that is not there', name: 'fetch' });
  turn.patch(tool, { status: 'in_progress' });
  await turn.rest(300);
  turn.patch(tool, { status: 'failed', content: [text('404: there is no such page.')] });
  await turn.say('A tool failed. That happens, and I go on.');
  if (rest.trim() === 'tool') return;
  throw new RpcFault(-32603, 'The demo agent failed, because you asked it to.');
}

const STORY =
  'Once upon a time a small tug boat pulled a very long barge up a very slow river and the captain said';

export async function slow(turn: Turn, rest: string): Promise<void> {
  const seconds = Math.min(3600, Number.parseInt(rest, 10) || 30);
  const words = STORY.split(' ');
  const messageId = turn.options.ids();
  for (let second = 0; second < seconds * 2; second++) {
    const word = `${words[second % words.length]} `;
    const content = { type: 'text', text: word };
    turn.update({ sessionUpdate: 'agent_message_chunk', messageId, content });
    turn.written += word.length;
    await turn.takeUp();
    // Slow also where everything else is fast: this is what it is for.
    await turn.until(new Promise((resolve) => setTimeout(resolve, 500)));
  }
}

export async function image(turn: Turn): Promise<void> {
  await turn.say('A picture, made on the spot:');
  turn.update({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'image', mimeType: 'image/png', data: picture() },
  });
  await turn.say('No network was needed for it.');
}

export async function flood(turn: Turn, rest: string): Promise<void> {
  const lines = Math.min(1_000_000, Number.parseInt(rest, 10) || 2000);
  const messageId = turn.options.ids();
  for (let line = 1; line <= lines; line++) {
    const words = `Line ${line} of ${lines}: the quick brown fox jumps over the lazy dog.\n`;
    turn.update({
      sessionUpdate: 'agent_message_chunk',
      messageId,
      content: { type: 'text', text: words },
    });
    turn.written += words.length;
    if (line % 50 !== 0) continue;
    await turn.until(turn.options.connection.flowing);
    // A cancel must be heard in between.
    await turn.until(new Promise((resolve) => setImmediate(resolve)));
  }
}
