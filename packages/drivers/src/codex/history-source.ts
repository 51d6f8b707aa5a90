/** Where this agent keeps its sessions and how they are read: its side of the history port (A40). */
import { join } from 'node:path';
import type { HistorySource } from '../kit/history.ts';
import { readPart } from './history-part.ts';
import { scanLines } from './history-scan.ts';

/** The name ends with the session's id, after the time it was begun at. */
const FILE = /rollout-[\dT-]{19}-([0-9a-fA-F-]{36})\.jsonl$/;

export const codexHistory: HistorySource = {
  agent: 'codex',
  roots: ({ CODEX_HOME, HOME = '' }) => [join(CODEX_HOME ?? join(HOME, '.codex'), 'sessions')],
  sessionOf: (path) => FILE.exec(path)?.[1],
  scan: scanLines,
  part: readPart,
};
