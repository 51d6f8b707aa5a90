/**
 * Search with ripgrep: arguments as a list without a shell, the pattern after `--regexp=`, no user configuration, no
 * links followed. Output is validated line by line; overlong lines are skipped. It cannot backtrack forever and can
 * be killed.
 */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { absoluteFolders } from '@tugdeck/local/absolute-path';
import type { Folder } from '@tugdeck/local/files/confined';
import { createLineReader } from '@tugdeck/local/lines';
import type { SearchHit, SearchQuery } from '@tugdeck/protocol/files/messages';
import { joinPath } from '@tugdeck/protocol/files/paths';
import { z } from 'zod';
import { NEVER_WATCHED } from '../../watching/worktree-watch.ts';
import { hitLine } from './hit-line.ts';
import type { SearchRun } from './search-run.ts';

/** Matches in text that is not UTF-8 have another form and are skipped. */
const matchSchema = z.object({
  type: z.literal('match'),
  data: z.object({
    path: z.object({ text: z.string() }),
    lines: z.object({ text: z.string() }),
    line_number: z.number().int(),
    submatches: z.array(z.object({ start: z.number().int(), end: z.number().int() })),
  }),
});
const MAX_LINE = 256 * 1024;
const BATCH = 50;
/** Exit code for a failed search. */
const EXIT_ERROR = 2;

let found: Promise<string | undefined> | undefined;

export function findRipgrep(path = process.env.PATH ?? ''): Promise<string | undefined> {
  found ??= findOnPath(path);
  return found;
}

async function findOnPath(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((one) => isAbsolute(one))) {
    const file = join(folder, 'rg');
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

export function ripgrepArguments({ text, isRegex, isCaseSensitive, isWholeWord }: SearchQuery): string[] {
  return [
    '--json',
    '--no-config',
    '--no-messages',
    '--hidden',
    ...NEVER_WATCHED.flatMap((name) => ['--glob', `!**/${name}/**`]),
    '--max-filesize=2M',
    '--max-count=200',
    isCaseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(isRegex ? [] : ['--fixed-strings']),
    ...(isWholeWord ? ['--word-regexp'] : []),
    `--regexp=${text}`,
    '--',
    './',
  ];
}

/** Returns false if ripgrep could not search; it does not support every pattern that we do. */
export async function ripgrepSearch(program: string, folder: Folder, run: SearchRun): Promise<boolean> {
  const { query, signal, emit } = run;
  const child = spawn(program, ripgrepArguments(query), {
    // Run in the open folder: by path, a link could have been swapped in.
    cwd: folder.self.replace('/proc/self/', `/proc/${process.pid}/`),
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: absoluteFolders(process.env.PATH ?? ''), HOME: process.env.HOME },
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    const waiting: SearchHit[] = [];
    const reader = createLineReader(MAX_LINE, {
      line(text) {
        const hit = readHit(text);
        if (hit) waiting.push({ ...hit, path: joinPath(query.folder, hit.path) });
      },
      overlong: () => undefined,
    });
    // Reads only as fast as the page accepts results.
    for await (const part of child.stdout) {
      reader.push(part as Buffer);
      if (waiting.length >= BATCH) await emit(waiting.splice(0));
    }
    await emit(waiting);
    return (await ended) !== EXIT_ERROR || signal.aborted;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

export function readHit(line: string): SearchHit | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = matchSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { path, lines, line_number, submatches } = parsed.data.data;
  const bytes = Buffer.from(lines.text, 'utf8');
  // ripgrep counts bytes, we count characters.
  const toCharacters = (at: number) => bytes.subarray(0, at).toString('utf8').length;
  const text = lines.text.replace(/\r?\n$/, '');
  const marks = submatches.map(({ start, end }) => [toCharacters(start), toCharacters(end)] as const);
  return hitLine(path.text.replace(/^\.\//, ''), line_number, text, marks);
}
