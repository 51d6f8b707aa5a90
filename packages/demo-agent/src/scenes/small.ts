/** Scenes that are too small for their own module. */
import { RpcFault } from '../connection.ts';
import type { Turn } from '../turn.ts';
import { text } from './edit.ts';
import { picture } from './picture.ts';

export async function think(turn: Turn): Promise<void> {
  await turn.think(
    'The user wants to see me think. I only follow a script, but my reasoning is streamed like a real agent’s and shown separately from the answer.',
  );
  await turn.say('I’ve thought about it. Expand the block above to read my reasoning.');
}

export async function fail(turn: Turn, rest: string): Promise<void> {
  if (rest.trim() === 'crash') {
    await turn.say('I’m crashing now. Tugdeck will restart me, and you keep the conversation.');
    process.exit(1);
  }
  const tool = turn.tool({ kind: 'fetch', title: 'Fetch a missing page', name: 'fetch' });
  turn.patch(tool, { status: 'in_progress' });
  await turn.pause(300);
  turn.patch(tool, { status: 'failed', content: [text('404: page not found')] });
  await turn.say('That tool call failed. I’ll carry on without it.');
  if (rest.trim() === 'tool') return;
  throw new RpcFault(-32603, 'The demo agent failed on purpose.');
}

/** Said once: a text that begins again from its beginning looks like an agent that was cut off. */
const PREFACE = 'This story takes its time.';
const STORY =
  'Once upon a time a small tugboat pulled a very long barge up a very slow river and the captain said';

export async function slow(turn: Turn, rest: string): Promise<void> {
  const seconds = Math.min(3600, Number.parseInt(rest, 10) || 30);
  const preface = PREFACE.split(' ');
  const words = STORY.split(' ');
  const messageId = turn.options.ids();
  for (let second = 0; second < seconds * 2; second++) {
    const word = `${preface[second] ?? words[(second - preface.length) % words.length]} `;
    const content = { type: 'text', text: word };
    turn.update({ sessionUpdate: 'agent_message_chunk', messageId, content });
    turn.written += word.length;
    await turn.quoteMessage();
    // Slow even if everything else is fast: that is its purpose.
    await turn.until(new Promise((resolve) => setTimeout(resolve, 500)));
  }
}

export async function image(turn: Turn): Promise<void> {
  await turn.say('Here’s a picture I just made:');
  turn.update({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'image', mimeType: 'image/png', data: picture() },
  });
  await turn.say('I didn’t need the network for it.');
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
    // Lets the event loop process a cancel.
    await turn.until(new Promise((resolve) => setImmediate(resolve)));
  }
}
