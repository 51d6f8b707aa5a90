/** `edit FILE`, `edit FILE add TEXT`, `edit FILE replace OLD with NEW`: makes a real change, after asking. */
import type { Turn } from '../turn.ts';
import { inProject, readText, writeText } from './project-files.ts';

/** The tour writes the same file. */
const OWN_FILE = 'tugdeck-demo.md';

export async function edit(turn: Turn, rest: string): Promise<void> {
  const [, name = OWN_FILE, what = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest.trim()) ?? [];
  if (rest.trim() === '') {
    await turn.say(
      `No file given, so I’ll use \`${OWN_FILE}\`. You can also try \`edit notes.md add A new line\`.\n\n`,
    );
  }
  const path = inProject(turn, name);
  const oldText = await readText(turn, path);
  const newText = changed(oldText ?? '', what);
  if (newText === oldText) {
    await turn.say(`\`${name}\` does not contain that text, so there is nothing to change.`);
    return;
  }
  if (await change(turn, name, path, oldText, newText)) {
    await turn.say(`Done: \`${name}\` is ${oldText === undefined ? 'created' : 'changed'}.`);
  } else {
    await turn.say(`Okay, left \`${name}\` unchanged.`);
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

export function text(words: string): { type: 'content'; content: { type: 'text'; text: string } } {
  return { type: 'content', content: { type: 'text', text: words } };
}

function changed(before: string, what: string): string {
  const replace = /^replace\s+([\s\S]+?)\s+with\s+([\s\S]+)$/.exec(what);
  if (replace) return before.replace(replace[1] ?? '', () => replace[2] ?? '');
  const line = what.replace(/^add\s+/, '').trim() || 'A line from the demo agent.';
  return before === '' || before.endsWith('\n') ? `${before}${line}\n` : `${before}\n${line}\n`;
}
