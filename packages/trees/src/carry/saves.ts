/**
 * Files that the user saved in the editor while a turn was running. Trees alone would take them for the agent's work:
 * a turn is split at its saves, so that they are somebody else's changes (T4).
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Shadow } from '../shadow.ts';
import { blobId } from './blobs.ts';
import { EXECUTABLE, FILE, type Span, type Version } from './versions.ts';

const versionSchema = z.object({
  mode: z.enum([FILE, EXECUTABLE]),
  blob: z.string().regex(/^[0-9a-f]{40}$/),
});

const saveSchema = z.object({
  at: z.number(),
  place: z.string().max(100),
  path: z.string().min(1),
  before: versionSchema.optional(),
  after: versionSchema,
});
export type Save = z.infer<typeof saveSchema>;

export interface SavedContent {
  /** When it was on disk. */
  readonly at: number;
  readonly path: string;
  /** Absent for a new file. */
  readonly before?: Uint8Array | undefined;
  readonly after: Uint8Array;
  readonly isExecutable: boolean;
}

/** Adds a save to a session's record, and keeps both contents as long as the session. */
export async function recordSave(
  shadow: Shadow,
  { session, file }: { readonly session: string; readonly file: string },
  { at, path, before, after, isExecutable }: SavedContent,
): Promise<void> {
  await shadow.open();
  const mode = isExecutable ? EXECUTABLE : FILE;
  const contents = before ? [before, after] : [after];
  for (const content of contents) await shadow.run(['hash-object', '-w', '--stdin'], { input: content });
  const entries = contents.map((content, index) => `${FILE} blob ${blobId(content)}\t${index}\n`);
  const tree = (await shadow.text(['mktree'], { input: entries.join('') })).trim();
  await shadow.run(['update-ref', `refs/restores/${session}/${randomUUID()}/saved`, tree]);
  const save: Save = {
    at,
    place: shadow.place,
    path,
    ...(before ? { before: { mode, blob: blobId(before) } } : {}),
    after: { mode, blob: blobId(after) },
  };
  appendFileSync(file, `${JSON.stringify(save)}\n`, { mode: 0o600 });
}

/** In order; truncated or invalid lines are skipped. */
export async function readSaves(file: string): Promise<Save[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const saves = text.split('\n').flatMap((line) => parseSave(line) ?? []);
  return saves.sort((a, b) => a.at - b.at);
}

function parseSave(line: string): Save | undefined {
  try {
    return saveSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

export interface SplitSpan {
  /** Changes by the turn itself, oldest first. */
  readonly spans: readonly Span[];
  /** The saves between them: one less. */
  readonly gaps: readonly Span[];
}

/** `versionOf`: the version of a file that is the same before and after the turn. */
export function splitAtSaves(
  span: Span,
  saves: readonly Save[],
  versionOf: (path: string) => Version | undefined,
): SplitSpan {
  const rest = new Map(span);
  const spans: Span[] = [];
  const gaps: Span[] = [];
  for (const { path, before, after } of saves) {
    const same = versionOf(path);
    const change = rest.get(path) ?? { start: same, end: same };
    spans.push(new Map([[path, { ...change, end: before }]]));
    gaps.push(new Map([[path, { start: before, end: after }]]));
    rest.set(path, { start: after, end: change.end });
  }
  return { spans: [...spans, rest], gaps };
}
