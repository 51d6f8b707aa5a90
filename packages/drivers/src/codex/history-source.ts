/** This agent's history source: where its sessions are and how to read them (A40). */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf, textOf } from '../kit/fields.ts';
import type { Environment, HistorySource } from '../kit/history.ts';
import { lastTurn, readJson } from './history-lines.ts';
import { readPart } from './history-part.ts';
import { scanLines } from './history-scan.ts';

/** The name ends with the session id, after its start time. */
const FILE = /rollout-[\dT-]{19}-([0-9a-fA-F-]{36})\.jsonl$/;

export const codexHistory: HistorySource = {
  agent: 'codex',
  roots: (environment) => [join(homeOf(environment), 'sessions')],
  sessionOf: (path) => FILE.exec(path)?.[1],
  find: ({ environment }, session) => findRollout(join(homeOf(environment), 'sessions'), session),
  scan: scanLines,
  part: readPart,
  lastTurn,
  titles: titlesIn,
};

function homeOf({ CODEX_HOME, HOME = '' }: Environment): string {
  return CODEX_HOME ?? join(HOME, '.codex');
}

/** Found by the end of its name, in folders by year, month and day, newest first. */
function findRollout(folder: string, session: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder, { withFileTypes: true }).sort((a, b) => b.name.localeCompare(a.name));
  for (const one of names) {
    const path = join(folder, one.name);
    const found = one.isDirectory() ? findRollout(path, session) : undefined;
    if (found !== undefined) return found;
    if (one.isFile() && FILE.exec(one.name)?.[1] === session) return path;
  }
  return undefined;
}

let known: { file: string; mtime: number; titles: ReadonlyMap<string, string> } | undefined;

/** Titles from the agent's index file; read again only if it changed. */
function titlesIn(environment: Environment): ReadonlyMap<string, string> {
  const file = join(homeOf(environment), 'session_index.jsonl');
  try {
    const mtime = statSync(file).mtimeMs;
    if (known?.file === file && known.mtime === mtime) return known.titles;
    const titles = new Map<string, string>();
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const { id, thread_name } = recordOf(readJson(line));
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
