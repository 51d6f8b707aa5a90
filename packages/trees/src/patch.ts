/**
 * Parses the output of `git diff`, and builds a patch from a single hunk. Works on bytes as latin1, so that exactly
 * git's bytes are applied; only displayed text is decoded. Pure. Names in patch headers are not trusted: callers know
 * which file a patch is about.
 */
import { createHash } from 'node:crypto';
import type { ChangeState, FileChange, ShownHunk } from '@tugdeck/protocol/git/git-messages';

export interface PatchHunk {
  /** Hash of its content, plus a number among equal hunks: stays the same when lines above it move. */
  readonly id: string;
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Bytes as latin1, each line with its sign. */
  readonly lines: readonly string[];
}

export interface FilePatch {
  readonly state: ChangeState;
  readonly modes?: readonly [string, string];
  readonly isBinary: boolean;
  readonly isSubmodule: boolean;
  readonly hunks: readonly PatchHunk[];
}

/** Fixed output, whatever the user or the repository configured. */
export const PATCH_FLAGS = [
  '--patch',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-relative',
  '--submodule=short',
  '--ignore-submodules=dirty',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--unified=3',
  '--inter-hunk-context=0',
];
const FILE = 'diff --git ';
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const SUBMODULE = '160000';

export function parsePatch(output: Uint8Array): FilePatch[] {
  const lines = Buffer.from(output.buffer, output.byteOffset, output.byteLength)
    .toString('latin1')
    .split('\n');
  const files: FilePatch[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at]?.startsWith(FILE)) {
      at += 1;
      continue;
    }
    const { file, next } = parseFile(lines, at + 1);
    files.push(file);
    at = next;
  }
  return files;
}

function parseFile(lines: readonly string[], from: number): { file: FilePatch; next: number } {
  const head = new Map<string, string>();
  let isBinary = false;
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('@@ ') || line.startsWith(FILE)) break;
    if (line.startsWith('Binary files ') || line.startsWith('GIT binary patch')) isBinary = true;
    const word = HEAD_WORDS.find((one) => line.startsWith(`${one} `));
    if (word) head.set(word, line.slice(word.length + 1));
  }
  const hunks: PatchHunk[] = [];
  const seen = new Map<string, number>();
  while (lines[at]?.startsWith('@@ ')) {
    const { hunk, next } = parseHunk(lines, at, seen);
    if (hunk) hunks.push(hunk);
    at = next;
  }
  const modes = modesOf(head);
  const isSubmodule = [...(modes ?? []), head.get('index')?.split(' ')[1]].includes(SUBMODULE);
  return {
    file: { state: stateOf(head), ...(modes ? { modes } : {}), isBinary, isSubmodule, hunks },
    next: at,
  };
}

const HEAD_WORDS = [
  'old mode',
  'new mode',
  'deleted file mode',
  'new file mode',
  'rename from',
  'copy from',
  'index',
] as const;

function stateOf(head: ReadonlyMap<string, string>): ChangeState {
  if (head.has('new file mode')) return 'added';
  if (head.has('deleted file mode')) return 'deleted';
  if (head.has('rename from')) return 'renamed';
  if (head.has('copy from')) return 'copied';
  return 'modified';
}

function modesOf(head: ReadonlyMap<string, string>): readonly [string, string] | undefined {
  const made = head.get('new file mode');
  if (made === SUBMODULE) return ['', made];
  const old = head.get('old mode');
  const fresh = head.get('new mode');
  return old !== undefined && fresh !== undefined ? [old, fresh] : undefined;
}

/** Uses the counts in its header, never the look of a line, because content can look like anything. */
function parseHunk(
  lines: readonly string[],
  from: number,
  seen: Map<string, number>,
): { hunk: PatchHunk | undefined; next: number } {
  const match = HUNK.exec(lines[from] ?? '');
  if (!match) return { hunk: undefined, next: from + 1 };
  const [oldStart, oldLines, newStart, newLines] = match.slice(1, 5).map((part) => Number(part ?? 1));
  let old = oldLines ?? 0;
  let fresh = newLines ?? 0;
  let at = from + 1;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.startsWith('\\')) {
      at += 1;
      continue;
    }
    if (old <= 0 && fresh <= 0) break;
    if (line.startsWith('-')) old -= 1;
    else if (line.startsWith('+')) fresh -= 1;
    else if (line.startsWith(' ')) {
      old -= 1;
      fresh -= 1;
    } else break;
    at += 1;
  }
  const own = lines.slice(from + 1, at);
  const hash = createHash('sha256').update(own.join('\n'), 'latin1').digest('hex').slice(0, 16);
  const ordinal = seen.get(hash) ?? 0;
  seen.set(hash, ordinal + 1);
  const numbers = { oldStart: oldStart ?? 0, oldLines: oldLines ?? 0, newStart: newStart ?? 0 };
  return {
    hunk: { id: `${hash}-${ordinal}`, ...numbers, newLines: newLines ?? 0, lines: own },
    next: at,
  };
}

/** Shown at once; the rest on request. */
const SHOWN_LINES = 3_000;
const WHOLE_LINES = 40_000;
const SHOWN_WIDTH = 4_000;

export interface ShownAs {
  readonly path: string;
  readonly oldPath?: string | undefined;
  readonly isWhole?: boolean | undefined;
}

export function shownChange(patch: FilePatch, { path, oldPath, isWhole = false }: ShownAs): FileChange {
  let left = isWhole ? WHOLE_LINES : SHOWN_LINES;
  const hunks: ShownHunk[] = [];
  for (const { lines, ...hunk } of patch.hunks) {
    // A hunk is shown completely or not at all, so that users act only on what they have seen.
    if (lines.length > left && hunks.length > 0) break;
    hunks.push({ ...hunk, lines: lines.slice(0, left).map(shownLine) });
    left -= lines.length;
    if (left <= 0) break;
  }
  const isCut = left < 0 || hunks.length < patch.hunks.length;
  return {
    path,
    ...(oldPath === undefined || oldPath === path ? {} : { oldPath }),
    state: patch.state,
    hunks,
    ...(patch.isBinary ? { binary: true } : {}),
    ...(patch.modes && !patch.isSubmodule ? { modes: [...patch.modes] } : {}),
    ...(isCut ? { cut: true } : {}),
    ...(patch.isSubmodule ? { submodule: true } : {}),
  };
}

function shownLine(line: string): string {
  const text = Buffer.from(line, 'latin1').toString('utf8');
  return text.length > SHOWN_WIDTH ? `${text.slice(0, SHOWN_WIDTH)}…` : text;
}

/** A patch with one hunk of a file that exists before and after, for `git apply`. */
export function hunkPatch(path: string, hunk: PatchHunk): Buffer {
  const head = [
    `diff --git ${quoted(`a/${path}`)} ${quoted(`b/${path}`)}`,
    `--- ${quoted(`a/${path}`)}`,
    `+++ ${quoted(`b/${path}`)}`,
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
  ];
  return Buffer.from(`${[...head, ...hunk.lines].join('\n')}\n`, 'latin1');
}

/** Quoted like git: non-ASCII bytes in octal. */
function quoted(name: string): string {
  const bytes = [...Buffer.from(name, 'utf8')].map((byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    if (byte < 0x20 || byte > 0x7e) return `\\${byte.toString(8).padStart(3, '0')}`;
    return String.fromCharCode(byte);
  });
  return `"${bytes.join('')}"`;
}
