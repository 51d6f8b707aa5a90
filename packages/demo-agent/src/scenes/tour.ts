/** `tour`: one minute through everything, in plain words, with real files and real commands. */
import type { Turn } from '../turn.ts';
import { ask } from './ask.ts';
import { change } from './edit.ts';
import { look } from './look.ts';
import { listSteps } from './plan.ts';
import { inProject, readText } from './project-files.ts';
import { execute } from './run.ts';
import { image } from './small.ts';
import { subagents } from './subagents.ts';

const NOTES = 'tugdeck-demo.md';
const STEPS = [
  'Look around in the project',
  'Write a file',
  'Run a command',
  'Ask you something',
  'Let helpers work at once',
  'Draw a picture',
];

export async function tour(turn: Turn): Promise<void> {
  let done = 0;
  const tick = () => listSteps(turn, STEPS, ++done);
  await turn.say(
    '## Welcome\n\nThis is a conversation with an agent. I am a small one that ships with the product, so that you can try everything **without a network and without a key**. Other agents look just the same here.\n\nEverything that I do is shown as what it is. First, I think:',
  );
  await turn.think('A newcomer. Show one thing at a time, say what it is, and ask before touching anything.');
  await turn.say('Then I make a list of what I want to do. It stays in sight while I work.');
  listSteps(turn, STEPS, done);
  const names = await look(turn, 'Look around in the project');
  tick();
  await turn.say(
    names.length === 0
      ? 'Your project is empty.'
      : `Reading needs no permission: your project has ${names.length} ${names.length === 1 ? 'name' : 'names'} at the top.`,
  );
  await turn.say(
    'Now I would like to **write a file**. I have to ask first: you see exactly what would change, and you decide.',
  );
  const path = inProject(turn, NOTES);
  const before = await readText(turn, path);
  const after = `${before ?? '# Notes of the demo agent\n\n'}- The tour was here.\n`;
  const wrote = await change(turn, NOTES, path, before, after);
  tick();
  await turn.say(
    `${wrote ? `Thank you: \`${NOTES}\` is written.` : 'All right, nothing was written.'} Next, a **command**, with its output as it comes:`,
  );
  const code = await execute(turn, `ls -la && echo "Hello from $(basename "$PWD")"`);
  tick();
  await turn.say(
    `${code === undefined ? 'Not run, as you wish.' : 'Done.'} Sometimes an agent needs to know what you want:`,
  );
  await ask(turn);
  tick();
  await subagents(turn);
  tick();
  await image(turn);
  tick();
  await turn.say(
    `### What you have seen\n\n| Part | What it is |\n| --- | --- |\n| Thought | what the agent says to itself |\n| Tool | what it does, with input and result |\n| Permission | what waits for you |\n| Question | what it wants to know |\n\nCode is shown like this:\n\n\`\`\`ts\nexport function greet(name: string): string {\n  return \`Hello, \${name}!\`;\n}\n\`\`\`\n\nTo see how stopping works, type \`slow\` and press **Stop**. Type \`help\` for the rest.`,
  );
}
