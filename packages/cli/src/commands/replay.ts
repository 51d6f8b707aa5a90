/** `tugdeck replay` (M14): folds a recorded transcript and prints the result, without starting anything. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { replayFile } from '@tugdeck/drivers/known-drivers';
import { UsageError } from '../command-line.ts';
import type { Command } from './context.ts';

export const replay: Command = async ({ line, from, print }) => {
  const [file] = line.arguments;
  const { agent, session } = line.values;
  if (file === undefined) throw new UsageError('replay needs the FILE of a recording');
  if (agent === undefined) throw new UsageError('replay needs --agent NAME');
  const output = replayFile(agent, read(resolve(from, file)).split('\n'), { session });
  print(JSON.stringify(output, null, line.flags.has('json') ? 0 : 2));
  return 0;
};

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`can't read ${file}: ${(error as Error).message}`);
  }
}
