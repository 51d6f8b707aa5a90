/** `plan`: a plan to approve, then steps that are ticked off one by one. */
import type { Turn } from '../turn.ts';

const STEPS = ['Look around in the project', 'Write down what to change', 'Change it', 'Check the result'];
const PLAN = `# A small plan

1. Look around in the project
2. Write down what to change
3. Change it
4. Check the result

Nothing of this is really done: it only shows how a plan looks.`;

export async function plan(turn: Turn): Promise<void> {
  await turn.say('Here is what I would do.');
  const about = { kind: 'switch_mode', title: 'A small plan', name: 'plan', rawInput: { plan: PLAN } };
  const tool = turn.tool(about);
  const chosen = await turn.choose(tool, about, [
    { optionId: 'go', name: 'Yes, go on', kind: 'allow_once' },
    { optionId: 'back', name: 'No, keep planning', kind: 'reject_once' },
  ]);
  turn.patch(tool, { status: chosen === 'go' ? 'completed' : 'failed' });
  if (chosen !== 'go') {
    await turn.say('All right. Tell me what the plan should say instead.');
    return;
  }
  for (let done = 0; done <= STEPS.length; done++) {
    listSteps(turn, STEPS, done);
    await turn.rest(400);
  }
  await turn.say('Every step is done.');
}

/** The list of what is to be done, the first `done` of it ticked off. */
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
