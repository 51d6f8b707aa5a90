/** Project files, accessed through the client if it supports that, otherwise directly. */
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { fieldsOf, RpcFault } from '../connection.ts';
import type { Turn } from '../turn.ts';

/** The absolute path of a file in the project; throws for files outside. */
export function inProject(turn: Turn, name: string): string {
  const { directory } = turn.options;
  const path = resolve(directory, name);
  const inside = relative(directory, path);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) {
    throw new RpcFault(-32602, `${name} is not a file in this project.`);
  }
  return path;
}

/** Undefined if the file does not exist. */
export async function readText(turn: Turn, path: string): Promise<string | undefined> {
  try {
    if (!turn.options.capabilities.read) return await turn.until(readFile(path, 'utf8'));
    const answer = await turn.request('fs/read_text_file', { path });
    return String(fieldsOf(answer).content ?? '');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing || (error instanceof RpcFault && error.code === -32002)) return undefined;
    throw error;
  }
}

export async function writeText(turn: Turn, path: string, content: string): Promise<void> {
  if (turn.options.capabilities.write) {
    await turn.request('fs/write_text_file', { path, content });
    return;
  }
  await turn.until(mkdir(dirname(path), { recursive: true }));
  await turn.until(writeFile(path, content));
}

/** The top-level items of the project. */
export async function listProject(turn: Turn): Promise<string[]> {
  const directory = await turn.until(realpath(turn.options.directory));
  const entries = await turn.until(readdir(directory, { withFileTypes: true }));
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
    .slice(0, 40);
}
