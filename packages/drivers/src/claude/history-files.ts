/**
 * Locates the agent's session files and reads them from the end (A40): the last screen of a huge file costs its last
 * megabytes. Read-only and blocking: never used in the server.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CLAUDE_ENTRYPOINT } from '@tugdeck/agents/catalog';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import type { AgentStart, DatedChange } from '../kit/port.ts';
import { type DiskLine, type History, parseLine, readHistory, subagentsOf } from './history.ts';
import { missingFrom } from './missing-entries.ts';

const FIRST_READ = 1024 * 1024;
/** Longer subagent files are read from their end. */
const SUBAGENT_READ = 4 * 1024 * 1024;
/** External turns are searched in this part of a file's end. */
const EXTERNAL_READ = 8 * 1024 * 1024;

type Place = Pick<AgentStart, 'environment' | 'directory'>;

export function projectsFolder(environment: Readonly<Record<string, string>>): string {
  return join(environment.CLAUDE_CONFIG_DIR ?? join(environment.HOME ?? '', '.claude'), 'projects');
}

/** The file of a session, wherever its project is; undefined if there is none. */
export function sessionFile({ environment, directory }: Place, session: string): string | undefined {
  const folder = projectsFolder(environment);
  const direct = join(folder, slug(directory), `${session}.jsonl`);
  if (existsSync(direct)) return direct;
  if (!existsSync(folder)) return undefined;
  for (const project of readdirSync(folder)) {
    const file = join(folder, project, `${session}.jsonl`);
    if (existsSync(file)) return file;
  }
  return undefined;
}

function slug(directory: string): string {
  const real = existsSync(directory) ? realpathSync(directory) : directory;
  return real.replace(/[^A-Za-z0-9]/g, '-');
}

/** Reads at least the last `entries` entries. The whole file is read only if it has fewer. */
export function readSessionFile(
  file: string,
  { entries = 100, until }: { entries?: number; until?: string | undefined } = {},
): History {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    for (let length = FIRST_READ; ; length *= 4) {
      const from = Math.max(0, size - length);
      const lines = linesOf(descriptor, from, size);
      const history = readHistory(lines, subagentFiles(file, lines), until);
      if (from === 0 || history.whole || history.conversation.nextSeq >= entries) {
        return { ...history, whole: history.whole && from === 0 };
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

function linesOf(descriptor: number, from: number, to: number): DiskLine[] {
  const bytes = Buffer.allocUnsafe(to - from);
  let got = 0;
  while (got < bytes.length) {
    const read = readSync(descriptor, bytes, got, bytes.length - got, from + got);
    if (read === 0) break;
    got += read;
  }
  // The first line is cut unless the file begins with it.
  const start = from === 0 ? 0 : bytes.indexOf(10, 0) + 1;
  return bytes
    .toString('utf8', start, got)
    .split('\n')
    .map(parseLine)
    .filter((line) => line !== undefined);
}

function subagentFiles(file: string, lines: readonly DiskLine[]): Map<string, DiskLine[]> {
  const folder = join(dirname(file), basename(file, '.jsonl'), 'subagents');
  const files = new Map<string, DiskLine[]>();
  if (!existsSync(folder)) return files;
  for (const agent of subagentsOf(lines)) {
    const path = join(folder, `agent-${agent}.jsonl`);
    if (!/^[\w-]+$/.test(agent) || !existsSync(path)) continue;
    const descriptor = openSync(path, 'r');
    try {
      const { size } = fstatSync(descriptor);
      files.set(agent, linesOf(descriptor, Math.max(0, size - SUBAGENT_READ), size));
    } finally {
      closeSync(descriptor);
    }
  }
  return files;
}

/**
 * The agent's id of the message to fork at: the last line of the model message that contains the entry, or for a user
 * message the one before it. `null`: nothing is before it.
 */
export function messageAt(start: Place & Pick<AgentStart, 'session'>): string | null | undefined {
  const { at, id } = start.session;
  const file = at === undefined ? undefined : sessionFile(start, id);
  if (at === undefined || file === undefined) return at;
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map(parseLine)
    .filter((line) => line !== undefined);
  const message = at.replace(/:\d+$/, '');
  const own = lines.findLast(
    (line) =>
      line.type === 'assistant' &&
      (textAt(line.message, 'id') === message ||
        listOf(recordOf(line.message).content).some((block) => textAt(block, 'id') === at)),
  );
  if (own) return textAt(own, 'uuid');
  const byId = new Map(lines.map((line) => [textAt(line, 'uuid'), line]));
  // Of merged messages, only the last has its own line.
  let line = byId.get(at) ?? lines.find((one) => listOf(one.mergedSendUuids).includes(at));
  if (!line) return at;
  while (line && line.type !== 'assistant') line = byId.get(textAt(line, 'parentUuid') ?? '');
  return line ? textAt(line, 'uuid') : null;
}

/** Maximum number of imported entries. */
const MAX_ADOPTED = 2000;

export function sessionHistory(start: Place & Pick<AgentStart, 'session'>): readonly DatedChange[] {
  const { kind, id } = start.session;
  if (kind === 'new') return [];
  const file = id === '' ? newestFile(start) : sessionFile(start, id);
  const until = messageAt(start);
  if (file === undefined || until === null) return [];
  const { changes, whole } = readSessionFile(file, { entries: MAX_ADOPTED, until });
  return whole ? changes : [incompleteNotice(changes[0]?.at ?? 0), ...changes];
}

/**
 * Turns that another program made in one of our sessions (A42): everything after the last known message, from the
 * first external one. Empty if no known message is found, because the order would be unknown.
 */
export function externalTurns(
  start: Place & Pick<AgentStart, 'session'>,
  isKnown: (entry: string) => boolean,
): readonly DatedChange[] {
  const file = sessionFile(start, start.session.id);
  if (file === undefined) return [];
  const lines = lastLines(file);
  const foreign = new Set(
    lines.flatMap((line) => (line.type === 'user' && isExternal(line) ? [String(line.uuid)] : [])),
  );
  if (foreign.size === 0) return [];
  const { changes } = readHistory(lines, subagentFiles(file, lines));
  const promptOf = ({ body }: DatedChange): string | undefined =>
    body.kind === 'prompt.accepted' ? body.prompt.id : undefined;
  const known = changes.findLastIndex((one) => isKnown(promptOf(one) ?? ''));
  const first = changes.findIndex((one, at) => at > known && foreign.has(promptOf(one) ?? ''));
  return known < 0 || first < 0 ? [] : changes.slice(first);
}

/** Our entries that are missing from the agent's transcript (A42). */
export function missingEntries(
  start: Place & Pick<AgentStart, 'session'>,
  entries: readonly string[],
): ReadonlySet<string> | undefined {
  const file = sessionFile(start, start.session.id);
  return file === undefined ? undefined : missingFrom(lastLines(file), entries);
}

function lastLines(file: string): DiskLine[] {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    return linesOf(descriptor, Math.max(0, size - EXTERNAL_READ), size);
  } finally {
    closeSync(descriptor);
  }
}

/** Written by another program. */
export function isExternal({ entrypoint }: DiskLine): boolean {
  return typeof entrypoint === 'string' && entrypoint !== CLAUDE_ENTRYPOINT;
}

function incompleteNotice(at: number): DatedChange {
  return {
    at,
    body: {
      kind: 'entry.opened',
      entry: {
        id: 'notice-not-whole',
        kind: 'notice',
        status: 'complete',
        notice: 'info',
        level: 'info',
        text: "The beginning of this session is only in the agent's own file.",
      },
    },
  };
}

function newestFile({ environment, directory }: Place): string | undefined {
  const folder = join(projectsFolder(environment), slug(directory));
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    .at(-1);
}
