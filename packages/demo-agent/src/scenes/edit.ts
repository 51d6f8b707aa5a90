/** `edit FILE`, `edit FILE add TEXT`, `edit FILE replace OLD with NEW`: makes a real change, after asking. */
import type { Turn } from '../turn.ts';
import { inProject, readText, writeText } from './project-files.ts';

/** The tour writes the same file. */
const OWN_FILE = 'tugdeck-demo.md';

export async function edit(turn: Turn, rest: string): Promise<void> {
  const [, name = OWN_FILE, instruction = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest.trim()) ?? [];
  if (rest.trim() === '') {
    await turn.say(
      `You didn’t name a file, so I’ll use \`${OWN_FILE}\`. You can also try \`edit notes.md add A new line\`.\n\n`,
    );
  }
  const path = inProject(turn, name);
  const oldText = await readText(turn, path);
  const newText = applyChange(oldText ?? '', instruction);
  if (newText === oldText) {
    await turn.say(`\`${name}\` doesn’t contain that text, so I left it unchanged.`);
    return;
  }
  if (await change(turn, name, path, oldText, newText)) {
    await turn.say(`Done. I ${oldText === undefined ? 'created' : 'changed'} \`${name}\`.`);
  } else {
    await turn.say(`Okay, I left \`${name}\` unchanged.`);
  }
}

/** Runs the tool call; returns false if the user denied it. */
export async function change(
  turn: Turn,
  name: string,
  path: string,
  oldText: string | undefined,
  newText: string,
): Promise<boolean> {
  const about = {
    kind: 'edit',
    title: `${oldText === undefined ? 'Create' : 'Edit'} ${name}`,
    name: 'edit',
    locations: [{ path }],
    rawInput: { file: path },
    content: [{ type: 'diff', path, oldText: oldText ?? null, newText }],
  };
  const tool = turn.tool(about);
  if (!(await turn.requestPermission(tool, about))) {
    turn.patch(tool, { status: 'failed', content: [text('Denied by the user')] });
    return false;
  }
  turn.patch(tool, { status: 'in_progress' });
  try {
    await writeText(turn, path, newText);
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'Cancelled') throw error;
    turn.patch(tool, { status: 'failed', content: [text(error.message)] });
    return false;
  }
  turn.patch(tool, { status: 'completed' });
  return true;
}

export function text(content: string): { type: 'content'; content: { type: 'text'; text: string } } {
  return { type: 'content', content: { type: 'text', text: content } };
}

function applyChange(before: string, instruction: string): string {
  const replace = /^replace\s+([\s\S]+?)\s+with\s+([\s\S]+)$/.exec(instruction);
  if (replace) return before.replace(replace[1] ?? '', () => replace[2] ?? '');
  const line = instruction.replace(/^add\s+/, '').trim() || 'A line from the demo agent.';
  return before === '' || before.endsWith('\n') ? `${before}${line}\n` : `${before}\n${line}\n`;
}
