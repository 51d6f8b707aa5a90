/**
 * Every agent whose own session files we can read (A40), in one list. The reader takes its sources from it, a session
 * host the file of its own session.
 */
import { claudeHistory } from './claude/history-source.ts';
import { codexHistory } from './codex/history-source.ts';
import type { HistoryPart, HistorySource, SessionPlace } from './kit/history.ts';
import { readNewestPart } from './kit/newest-part.ts';

export const HISTORIES: readonly HistorySource[] = [claudeHistory, codexHistory];

/**
 * The end of a session as the agent's own file has it, settled: nobody writes to the file. Undefined where there is no
 * file that we can read. Session ids are random, so the file tells whose it is, also for an agent under another name.
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
