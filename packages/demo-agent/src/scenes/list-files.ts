import { join } from 'node:path';
import type { Turn } from '../turn.ts';
import { text } from './edit.ts';
import { listProject } from './project-files.ts';

/** Lists the project's top-level files and folders in a tool call. Reading doesn't need permission. */
export async function listFiles(turn: Turn, title: string): Promise<string[]> {
  const { directory } = turn.options;
  const tool = turn.tool({ kind: 'search', title, name: 'list', rawInput: { path: directory } });
  const names = await listProject(turn);
  turn.patch(tool, {
    status: 'completed',
    locations: names.filter((name) => !name.endsWith('/')).map((name) => ({ path: join(directory, name) })),
    content: [text(names.length === 0 ? '(empty)' : names.join('\n'))],
  });
  return names;
}
