/** This agent's history source: where its sessions are and how to read them (A40). */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { numberAt, textAt } from '../kit/fields.ts';
import type { Environment, HistorySource } from '../kit/history.ts';
import { projectsFolder, sessionFile } from './history-files.ts';
import { lastTurn } from './history-last-turn.ts';
import { readPart } from './history-part.ts';
import { scanLines } from './history-scan.ts';

const SESSION = /^[0-9a-fA-F-]{8,64}$/;

export const claudeHistory: HistorySource = {
  agent: 'claude',
  roots: (environment) => [projectsFolder(environment)],
  sessionOf(path) {
    const name = basename(path, '.jsonl');
    // Directly in a project folder: deeper files are subagents'.
    const isTop = basename(dirname(dirname(path))) === 'projects';
    return path.endsWith('.jsonl') && isTop && SESSION.test(name) ? name : undefined;
  },
  find: (place, session) => (SESSION.test(session) ? sessionFile(place, session) : undefined),
  scan: scanLines,
  part: readPart,
  lastTurn,
  heldSessions: readHeldSessions,
};

/** Every running process of this agent has a small file with its pid and session. */
function readHeldSessions(environment: Environment): ReadonlyMap<string, number> {
  const folder = join(dirname(projectsFolder(environment)), 'sessions');
  const held = new Map<string, number>();
  for (const name of namesIn(folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    try {
      const record: unknown = parseJson(readFileSync(join(folder, name), 'utf8'));
      const session = textAt(record, 'sessionId') ?? textAt(record, 'session_id');
      const pid = numberAt(record, 'pid') ?? Number(basename(name, '.json'));
      if (session !== undefined) held.set(session, pid);
    } catch (error) {
      // It may be written or removed at this moment.
      if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return held;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
