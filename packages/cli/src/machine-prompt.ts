/**
 * Asks in the terminal whether a data directory from another machine was copied, is shared, or was moved here (N3).
 */
import { createInterface } from 'node:readline/promises';
import type { MachineChoice } from '@tugdeck/local/machine';
import { writeLine } from './terminal-text.ts';

const CHOICES = [
  '  n  It was copied, or both machines use it: this machine gets a new id',
  '  m  It was moved here and the other machine no longer uses it: keep the id',
].join('\n');

/** Returns undefined without a terminal or for any other answer. */
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
