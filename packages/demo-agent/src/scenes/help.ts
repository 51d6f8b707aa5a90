/** What the demo agent can do, in words and as a list of commands. */
import type { Turn } from '../turn.ts';

export interface CommandHelp {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

export const COMMANDS: readonly CommandHelp[] = [
  { name: 'tour', description: 'Shows everything in one minute' },
  { name: 'edit', description: 'Changes a file, after asking', hint: 'FILE add TEXT' },
  { name: 'run', description: 'Runs a command, after asking', hint: 'COMMAND' },
  { name: 'ask', description: 'Asks you two questions' },
  { name: 'plan', description: 'Shows a plan and ticks off its steps' },
  { name: 'think', description: 'Thinks before it answers' },
  { name: 'image', description: 'Draws a picture' },
  { name: 'subagents', description: 'Lets two helpers work at once' },
  { name: 'slow', description: 'Talks slowly, so that you can stop it', hint: 'SECONDS' },
  { name: 'flood', description: 'Talks very much, very fast', hint: 'LINES' },
  { name: 'fail', description: 'Fails on purpose', hint: 'tool | crash' },
  { name: 'help', description: 'Says what it can do' },
];

export async function help(turn: Turn): Promise<void> {
  const rows = COMMANDS.map(
    ({ name, hint, description }) =>
      `| \`${name}${hint === undefined ? '' : ` ${hint.replace(/\|/g, 'or')}`}\` | ${description} |`,
  );
  await turn.say(
    `I am the demo agent. I need no network and no key, and I do what you type:\n\n| Type | What happens |\n| --- | --- |\n${rows.join('\n')}\n\nStart with \`tour\`.`,
  );
}

export async function talk(turn: Turn, said: string): Promise<void> {
  const comments = [...said.matchAll(/^\[(R\d+)\] (\S+)/gm)];
  if (comments.length > 0) {
    const answers = comments.map(([, id, place]) => `[${id}] I have seen your comment on \`${place}\`.`);
    await turn.say(
      `I am only the demo agent and change nothing by myself, but I read them all:\n\n${answers.join('\n\n')}`,
    );
    return;
  }
  const quoted = said.trim().split('\n')[0]?.slice(0, 80) ?? '';
  await turn.say(
    `You said “${quoted}”. I am only the **demo agent**: no model is behind me, so I cannot answer that.\n\nWhat I can do is real, though: I *edit files*, *run commands*, *ask questions* and more, right here in your project. Try:\n\n- \`tour\` to see everything in one minute\n- \`run ls\` to run a command\n- \`help\` for the whole list`,
  );
}
