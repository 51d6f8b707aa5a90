/** All agents whose session files we can read (A40), for the reader and for session hosts. */
import { claudeHistory } from './claude/history-source.ts';
import { codexHistory } from './codex/history-source.ts';
import type { HistoryPart, HistorySource, SessionPlace } from './kit/history.ts';
import { readNewestPart } from './kit/newest-part.ts';

export const HISTORIES: readonly HistorySource[] = [claudeHistory, codexHistory];

/**
 * Reads the end of a session from the agent's own file, settled, because no program writes to it. Undefined without a
 * readable file. Session ids are random, so the file is found whatever the agent is called.
 */
export function readRecord(
  place: SessionPlace,
  session: string,
  isEnough: (part: HistoryPart) => boolean,
): HistoryPart | undefined {
  for (const source of HISTORIES) {
    const file = source.find(place, session);
    if (file === undefined) continue;
    const { part } = readNewestPart(source, { file, facts: {}, spill: (body) => body }, isEnough);
    part.settle();
    return part;
  }
  return undefined;
}
