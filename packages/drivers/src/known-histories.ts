/** All agents whose session files we can read (A40), for the reader and for session hosts. */
import { statSync } from 'node:fs';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { claudeHistory } from './claude/history-source.ts';
import { codexHistory } from './codex/history-source.ts';
import type { HistoryPart, HistorySource, SessionPlace } from './kit/history.ts';
import { readLastLines, readNewestPart } from './kit/newest-part.ts';

export const HISTORIES: readonly HistorySource[] = [claudeHistory, codexHistory];

/** Read limits for the session file of one subagent, and for all of a record. */
const SUBAGENT = 8 * 1024 * 1024;
const ALL_SUBAGENTS = 64 * 1024 * 1024;

/**
 * Reads the end of a session from the agent's own file, settled, because no program writes to it. Undefined without a
 * readable file. Session ids are random, so the file is found whatever the agent is called. `withSubagents`: includes
 * subagents that have a separate file.
 */
export function readRecord(
  place: SessionPlace,
  session: string,
  isEnough: (part: HistoryPart) => boolean,
  { withSubagents = true } = {},
): HistoryPart | undefined {
  for (const source of HISTORIES) {
    const file = source.find(place, session);
    if (file === undefined) continue;
    let budget = ALL_SUBAGENTS;
    const subagent = (id: string) => {
      const path = budget > 0 ? source.find(place, id) : undefined;
      if (path === undefined) return undefined;
      budget -= Math.min(SUBAGENT, statSync(path).size);
      return readLastLines(path, SUBAGENT);
    };
    const options = { file, facts: {}, spill: (body: ChangeBody) => body };
    const { part } = readNewestPart(source, withSubagents ? { ...options, subagent } : options, (one) => {
      // A longer part reads its subagents again.
      budget = ALL_SUBAGENTS;
      return isEnough(one);
    });
    part.settle();
    return part;
  }
  return undefined;
}
