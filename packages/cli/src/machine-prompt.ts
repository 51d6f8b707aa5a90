/** Asks at the terminal whether a data directory of another machine was copied, is shared, or moved here (N3). */
import { createInterface } from 'node:readline/promises';
import type { MachineChoice } from '@tugdeck/local/machine';
import { writeLine } from './terminal-text.ts';

const CHOICES = [
  '  n  It was copied, or both machines use it: this one gets an id of its own',
  '  m  It moved here, the other machine no longer uses it: this one keeps its id',
].join('\n');

/** Nothing where nobody can be asked, or the answer is neither. */
export async function promptMachine(situation: string): Promise<MachineChoice | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  writeLine(process.stderr, `${situation}\n${CHOICES}`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once('SIGINT', () => process.exit(130));
  try {
    const answer = (await lines.question('n or m? ')).trim().toLowerCase();
    if (answer === 'n') return 'new';
    return answer === 'm' ? 'moved' : undefined;
  } finally {
    lines.close();
  }
}
