/** Lists the messages that the agent remembers, for example after a restore or in a fork. */
import type { Message } from '../memory.ts';
import type { Turn } from '../turn.ts';

const MAX_LINE = 80;

export async function recall(turn: Turn, earlier: readonly Message[]): Promise<void> {
  if (earlier.length === 0) {
    await turn.say('I don’t remember any earlier messages.');
    return;
  }
  const rows = earlier.map(({ prompt }, index) => {
    const [line = ''] = prompt.split('\n');
    return `${index + 1}. ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`;
  });
  await turn.say(`I remember your earlier messages:\n\n${rows.join('\n')}`);
}
