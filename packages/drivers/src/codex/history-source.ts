/** Where this agent keeps its sessions and how they are read: its side of the history port (A40). */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, HistorySource } from '../kit/history.ts';
import { fieldsOf, lastTurn, readJson, textOf } from './history-lines.ts';
import { readPart } from './history-part.ts';
import { scanLines } from './history-scan.ts';

/** The name ends with the session's id, after the time it was begun at. */
const FILE = /rollout-[\dT-]{19}-([0-9a-fA-F-]{36})\.jsonl$/;

export const codexHistory: HistorySource = {
  agent: 'codex',
  roots: (environment) => [join(homeOf(environment), 'sessions')],
  sessionOf: (path) => FILE.exec(path)?.[1],
  scan: scanLines,
  part: readPart,
  lastTurn,
  titles: titlesIn,
};

function homeOf({ CODEX_HOME, HOME = '' }: Environment): string {
  return CODEX_HOME ?? join(HOME, '.codex');
}

let known: { file: string; mtime: number; titles: ReadonlyMap<string, string> } | undefined;

/** It names its sessions in a file beside them; read again only when that changed. */
function titlesIn(environment: Environment): ReadonlyMap<string, string> {
  const file = join(homeOf(environment), 'session_index.jsonl');
  try {
    const mtime = statSync(file).mtimeMs;
    if (known?.file === file && known.mtime === mtime) return known.titles;
    const titles = new Map<string, string>();
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const { id, thread_name } = fieldsOf(readJson(line));
      const title = textOf(thread_name);
      if (typeof id === 'string' && title) titles.set(id, title);
    }
    known = { file, mtime, titles };
    return titles;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
}
