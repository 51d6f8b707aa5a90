/** `tour`: shows every feature in one minute, with real files and real commands. */
import type { Turn } from '../turn.ts';
import { ask } from './ask.ts';
import { change } from './edit.ts';
import { listFiles } from './list-files.ts';
import { listSteps } from './plan.ts';
import { inProject, readText } from './project-files.ts';
import { execute } from './run.ts';
import { image } from './small.ts';
import { subagents } from './subagents.ts';

const NOTES = 'tugdeck-demo.md';
const STEPS = [
  'Look around the project',
  'Write a file',
  'Run a command',
  'Ask you a question',
  'Run subagents in parallel',
  'Draw a picture',
];

export async function tour(turn: Turn): Promise<void> {
  let done = 0;
  const checkOff = () => listSteps(turn, STEPS, ++done);
  await turn.say(
    '## Welcome\n\nThis is a conversation with an agent. I’m a small demo agent built into Tugdeck, so you can try everything **without a network or an API key**. Sessions with other agents look the same.\n\nFirst, I think about the task:',
  );
  await turn.think(
    'A new user. I’ll show one thing at a time, explain it, and ask before changing anything.',
  );
  await turn.say('Then I make a to-do list. It stays pinned while I work.');
  listSteps(turn, STEPS, done);
  const names = await listFiles(turn, 'Look around the project');
  checkOff();
  await turn.say(
    names.length === 0
      ? 'Your project is empty.'
      : `Reading doesn’t need permission. Your project has ${names.length} top-level ${names.length === 1 ? 'item' : 'items'}.`,
  );
  await turn.say('Now I’d like to **create a file**. You see the exact diff before you decide.');
  const path = inProject(turn, NOTES);
  const before = await readText(turn, path);
  const after = `${before ?? '# Notes from the demo agent\n\n'}- The tour was here.\n`;
  const wrote = await change(turn, NOTES, path, before, after);
  checkOff();
  await turn.say(
    `${wrote ? `Thanks! I wrote \`${NOTES}\`.` : 'Okay, nothing was written.'} Next, a **command** with live output:`,
  );
  const code = await execute(turn, `ls -la && echo "Hello from $(basename "$PWD")"`);
  checkOff();
  await turn.say(
    `${code === undefined ? 'Skipped.' : 'Done.'} Sometimes an agent needs to ask you something:`,
  );
  await ask(turn);
  checkOff();
  await subagents(turn);
  checkOff();
  await image(turn);
  checkOff();
  await turn.say(
    `### What you just saw\n\n| Part | What it is |\n| --- | --- |\n| Thinking | the agent’s reasoning |\n| Tool call | an action of the agent, with its input and result |\n| Permission | a decision that needs you |\n| Question | information that the agent needs from you |\n\nCode is shown like this:\n\n\`\`\`ts\nexport function greet(name: string): string {\n  return \`Hello, \${name}!\`;\n}\n\`\`\`\n\nThe file I wrote is in **Changes**, in the panel of this session; **Terminal** beside it is a shell in the same folder. \`Ctrl+K\` finds everything else.\n\nTo try stopping a turn, type \`slow\` and press **Stop**. Type \`help\` for the rest.`,
  );
}
