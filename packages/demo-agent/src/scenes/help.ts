/** Describes what the demo agent can do, as text and as a list of commands. */
import type { Turn } from '../turn.ts';

const MAX_QUOTE = 80;

export interface CommandHelp {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

export const COMMANDS: readonly CommandHelp[] = [
  { name: 'tour', description: 'Shows every feature in one minute' },
  { name: 'edit', description: 'Edits a file, after asking', hint: 'FILE add TEXT' },
  { name: 'run', description: 'Runs a command, after asking', hint: 'COMMAND' },
  { name: 'ask', description: 'Asks you two questions' },
  { name: 'plan', description: 'Shows a plan and checks off its steps' },
  { name: 'think', description: 'Thinks before it answers' },
  { name: 'image', description: 'Draws a picture' },
  { name: 'subagents', description: 'Runs two subagents in parallel' },
  { name: 'slow', description: 'Streams slowly so you can try Stop, Steer and Queue', hint: 'SECONDS' },
  { name: 'flood', description: 'Streams thousands of lines', hint: 'LINES' },
  { name: 'recall', description: 'Lists the messages it remembers, for example after a restore' },
  { name: 'fail', description: 'Fails on purpose', hint: 'tool | crash' },
  { name: 'help', description: 'Lists these commands' },
];

export async function help(turn: Turn): Promise<void> {
  const rows = COMMANDS.map(
    ({ name, hint, description }) =>
      `| \`${name}${hint === undefined ? '' : ` ${hint.replace(/\|/g, 'or')}`}\` | ${description} |`,
  );
  await turn.say(
    `I’m the demo agent. I need no network and no API key. Try one of these:\n\n| Type | What happens |\n| --- | --- |\n${rows.join('\n')}\n\nStart with \`tour\`.`,
  );
}

export async function talk(turn: Turn, prompt: string): Promise<void> {
  const comments = [...prompt.matchAll(/^\[(R\d+)\] (\S+)/gm)];
  if (comments.length > 0) {
    const answers = comments.map(([, id, place]) => `[${id}] I’ve read your comment on \`${place}\`.`);
    await turn.say(
      `I’m only the demo agent, so I won’t change anything. Here’s one reply per comment:\n\n${answers.join('\n\n')}`,
    );
    return;
  }
  const [line = ''] = prompt.trim().split('\n');
  const quoted = line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
  await turn.say(
    `You said “${quoted}”. I’m only the **demo agent**. There’s no model behind me, so I can’t answer that.\n\nBut everything I do is real: I *edit files*, *run commands*, *ask questions* and more, right here in your project. Try:\n\n- \`tour\` to see every feature in one minute\n- \`run ls\` to run a command\n- \`help\` to list all commands`,
  );
}
