/**
 * Reads the agent's own file of a session without starting the agent (A42): turns of other programs, and our entries
 * that it lacks. Reads from the end; blocking, so only for the host.
 */

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf, textAt } from '../kit/fields.ts';
import type { AgentStart, DatedChange } from '../kit/port.ts';
import { parseLine, type RolloutLine } from './history-lines.ts';
import { readPart } from './history-part.ts';
import { codexHistory } from './history-source.ts';

type Start = Pick<AgentStart, 'environment' | 'session'>;

/** Length of the file's end that is read. */
const READ = 8 * 1024 * 1024;

/** The entries that are missing from the file, checked from the first one found. */
export function missingEntries(start: Start, entries: readonly string[]): ReadonlySet<string> | undefined {
  const lines = lastLines(start);
  if (!lines) return undefined;
  const known = new Set(lines.flatMap(({ line }) => (line ? namesOf(line) : [])));
  const has = (entry: string): boolean => known.has(entry.replace(/~\d+$/, ''));
  const first = entries.findIndex(has);
  if (first < 0) return undefined;
  const judged = entries.slice(first);
  // After another driver was used, ids of its entries say nothing about the file.
  const isOwn = (entry: string): boolean => /^[\da-f-]{36}(\/|$)/.test(entry);
  const isJudgeable = judged.every((entry) => has(entry) || isOwn(entry));
  return new Set(judged.filter((entry) => !has(entry) && (isJudgeable || entry.includes('/'))));
}

/** From the first turn after the last known one; empty if no known one is found. */
export function externalTurns(start: Start, isKnown: (entry: string) => boolean): readonly DatedChange[] {
  const lines = lastLines(start) ?? [];
  const known = lines.findLastIndex(({ line }) => line !== undefined && namesOf(line).some(isKnown));
  if (known < 0) return [];
  const first = lines.findIndex(({ line }, at) => at > known && line?.payload.type === 'task_started');
  if (first < 0) return [];
  const part = readPart([], { file: '', isWhole: true, seq: 0, facts: {}, spill: (body) => body });
  if (!part) return [];
  const changes = lines.slice(first).flatMap(({ text }) => part.take(text) ?? []);
  return [...changes, ...part.settle()].map(({ v: _, at, ...body }) => ({ at, body }) as DatedChange);
}

/** Possible entry ids of a line: ours, and those of the file reader. */
function namesOf({ type, payload }: RolloutLine): string[] {
  const item = recordOf(payload.item);
  const [id, turn] = [textAt(item, 'id'), textAt(payload, 'turn_id')];
  const own = payload.type === 'item_completed' ? [textAt(item, 'client_id'), id, `${turn}/${id}`] : [];
  const raw = type === 'response_item' ? [textAt(payload, 'call_id'), textAt(payload, 'id')] : [];
  return [...own, ...raw].flatMap((name) => name || []);
}

function lastLines(start: Start): { text: string; line: RolloutLine | undefined }[] | undefined {
  const file = rolloutOf(start);
  if (file === undefined) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const from = Math.max(0, size - READ);
    const bytes = Buffer.alloc(size - from);
    const got = readSync(descriptor, bytes, 0, bytes.length, from);
    // The first line is cut unless the file begins with it.
    const begin = from === 0 ? 0 : bytes.indexOf(10) + 1;
    return bytes
      .toString('utf8', begin, got)
      .split('\n')
      .map((text) => ({ text, line: parseLine(text) }));
  } finally {
    closeSync(descriptor);
  }
}

/** The file is in a folder of its start day, which the id contains; time zones may shift it by a day. */
function rolloutOf({ environment, session: { id } }: Start): string | undefined {
  if (!/^[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}$/.test(id)) return undefined;
  const begun = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  for (const root of codexHistory.roots(environment)) {
    for (const days of [0, -1, 1]) {
      const day = new Date(begun + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '/');
      const folder = join(root, day);
      if (!existsSync(folder)) continue;
      // A thread that was rolled back has several files; the newest is current.
      const name = readdirSync(folder)
        .filter((one) => codexHistory.sessionOf(one) === id)
        .sort()
        .at(-1);
      if (name !== undefined) return join(folder, name);
    }
  }
  return undefined;
}
