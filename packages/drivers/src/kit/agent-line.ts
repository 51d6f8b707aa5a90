/** Reads a line of an agent's output. */
import { isDeeperThan } from '@tugdeck/protocol/nesting';
import { parseExact } from './exact-json.ts';

/** Encoding a deeper value could overflow the stack, and lines that arrived with it would be lost. */
const MAX_NESTING = 500;

export type AgentLine = { readonly value: unknown } | { readonly problem: string };

export function readAgentLine(text: string): AgentLine {
  // Each level has two brackets.
  if (text.length > 2 * MAX_NESTING && isDeeperThan(Buffer.from(text), MAX_NESTING))
    return { problem: 'line nested too deeply' };
  try {
    return { value: parseExact(text) };
  } catch {
    return { problem: 'line that is not JSON' };
  }
}
