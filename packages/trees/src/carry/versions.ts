/**
 * Versions of files in trees: what a path holds, as git describes it. Names are bytes; a name that is not UTF-8 can't
 * be passed to the file system as text, so such files are counted and never touched.
 */
import type { Shadow } from '../shadow.ts';

export interface Version {
  readonly mode: string;
  readonly blob: string;
}

/** A file that differs between two trees; an absent version means that the file does not exist there. */
export interface VersionChange {
  readonly start?: Version | undefined;
  readonly end?: Version | undefined;
  /** Why the first tree does not have the file as it was then: `start` is an earlier version of it, or none. */
  readonly unseen?: 'left-out' | 'ignored' | undefined;
}

/** The files that one turn changed, by path. */
export type Span = ReadonlyMap<string, VersionChange>;

export const FILE = '100644';
export const EXECUTABLE = '100755';
export const LINK = '120000';

/** A listing of 50,000 files has about 5 MB. */
const MAX_LISTING = 256 * 1024 * 1024;

export function isSameVersion(one: Version | undefined, other: Version | undefined): boolean {
  return one?.mode === other?.mode && one?.blob === other?.blob;
}

/** A regular file or a link; submodules and unknown kinds are not. */
export function isFileMode(mode: string): boolean {
  return mode === FILE || mode === EXECUTABLE || mode === LINK;
}

export async function spanBetween(shadow: Shadow, start: string, end: string): Promise<Span> {
  const span = new Map<string, VersionChange>();
  if (start === end) return span;
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff', start, end];
  const { stdout } = await shadow.run(args, { maxBytes: MAX_LISTING });
  const parts = stdout.toString('latin1').split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [from = '', to = '', before = '', after = ''] = (parts[at] ?? '').slice(1).split(' ');
    const path = decodeName(parts[at + 1] ?? '');
    if (path === undefined) continue;
    span.set(path, { start: versionOf(from, before), end: versionOf(to, after) });
  }
  return span;
}

export async function versionsIn(shadow: Shadow, tree: string): Promise<Map<string, Version>> {
  const versions = new Map<string, Version>();
  const { stdout } = await shadow.run(['ls-tree', '-r', '-z', '--full-tree', tree], {
    maxBytes: MAX_LISTING,
  });
  for (const line of stdout.toString('latin1').split('\0')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const [mode = '', , blob = ''] = line.slice(0, tab).split(' ');
    const path = decodeName(line.slice(tab + 1));
    if (path !== undefined) versions.set(path, { mode, blob });
  }
  return versions;
}

function versionOf(mode: string, blob: string): Version | undefined {
  return mode === '000000' ? undefined : { mode, blob };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `bytes`: one character per byte. Undefined if the name is not UTF-8. */
function decodeName(bytes: string): string | undefined {
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
