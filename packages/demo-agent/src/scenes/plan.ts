/** `plan`: a plan to approve, then steps that are checked off one by one. */
import type { Turn } from '../turn.ts';

const STEPS = ['Look around the project', 'Write down what to change', 'Change it', 'Check the result'];
const PLAN = `# A small plan

1. Look around the project
2. Write down what to change
3. Change it
4. Check the result

This is just a demo plan; nothing will be changed.`;

export async function plan(turn: Turn): Promise<void> {
  await turn.say('Here’s what I’d do:');
  const about = { kind: 'switch_mode', title: 'A small plan', name: 'plan', rawInput: { plan: PLAN } };
  const tool = turn.tool(about);
  const chosen = await turn.choose(tool, about, [
    { optionId: 'go', name: 'Run all steps', kind: 'allow_once' },
    { optionId: 'back', name: 'No, keep planning', kind: 'reject_once' },
  ]);
  turn.patch(tool, { status: chosen === 'go' ? 'completed' : 'failed' });
  if (chosen !== 'go') {
    await turn.say('Okay. What should I change?');
    return;
  }
  for (let done = 0; done <= STEPS.length; done++) {
    listSteps(turn, STEPS, done);
    await turn.pause(400);
  }
  await turn.say('All steps are done.');
}

/** Sends the list of steps, with the first `done` checked off. */
export function listSteps(turn: Turn, steps: readonly string[], done: number): void {
  turn.update({
    sessionUpdate: 'plan',
    entries: steps.map((content, index) => ({
      content,
      priority: 'medium',
      status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
    })),
  });
}
