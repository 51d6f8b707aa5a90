/**
 * Looks for secrets in commits before they are pushed (B52): in added lines, names of files, messages and the branch
 * name. Pure; only the beginning of a match is kept.
 */
import type { Secret } from '@tugdeck/protocol/git/network-messages';
import { secretIn } from '@tugdeck/protocol/git/secret-in';

const MAX_FOUND = 50;
const MAX_LINE = 20_000;
const FILES =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.pgpass|\.git-credentials|[^/]+\.(?:p12|pfx|keystore|jks))$/;

export interface Scanned {
  readonly secrets: Secret[];
  /** Changed files, in order. */
  readonly files: string[];
}

/** Begins a commit; no line of a patch begins with it. */
export const COMMIT_MARK = '\u0001';
/** The commit, author and message; a NUL can't be in a message. */
export const SCAN_FORMAT = '%x01%H%x00%an%x00%s%x00%B%x00';

/** Reads the output of `git log --patch` in `SCAN_FORMAT`. */
export function scanLog(text: string, branch: string): Scanned {
  const secrets: Secret[] = [];
  const files = new Set<string>();
  const note = (
    found: Pick<Secret, 'kind' | 'begins'> | undefined,
    place: Omit<Secret, 'kind' | 'begins'>,
  ) => {
    if (found && secrets.length < MAX_FOUND) secrets.push({ ...found, ...place });
  };
  note(secretIn(branch), { where: 'branch name' });
  let at = text.indexOf(COMMIT_MARK);
  while (at >= 0) {
    const [commit, , , message, patchAt] = headAt(text, at + 1);
    for (const line of message.split('\n')) note(secretIn(line), { where: 'commit message', commit });
    at = scanPatch(text, patchAt, {
      file: (path) => {
        if (!files.has(path) && FILES.test(path)) {
          note({ kind: 'Private file', begins: '' }, { where: path, commit });
        }
        files.add(path);
      },
      line: (content, path, line) => note(secretIn(content), { where: path, line, commit }),
    });
  }
  return { secrets, files: [...files] };
}

function headAt(text: string, start: number): [string, string, string, string, number] {
  const fields: string[] = [];
  let at = start;
  for (let index = 0; index < 4; index++) {
    const end = text.indexOf('\0', at);
    fields.push(end < 0 ? text.slice(at) : text.slice(at, end));
    at = end < 0 ? text.length : end + 1;
  }
  const [commit = '', author = '', subject = '', message = ''] = fields;
  return [commit, author, subject, message, at];
}

interface PatchReader {
  file(path: string): void;
  line(content: string, path: string, line: number): void;
}

/** Returns where the next commit begins, or -1. */
function scanPatch(text: string, start: number, reader: PatchReader): number {
  let path = '';
  let isHead = false;
  let line = 0;
  let at = start;
  while (at < text.length) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    if (text.startsWith(COMMIT_MARK, at)) return at;
    const first = text.charAt(at);
    // Contents begin with a sign, so that these two are never contents.
    if (first === 'd') isHead = true;
    else if (first === '@') {
      isHead = false;
      line = Number(/^@@+ (?:-\S+ )+\+(\d+)/.exec(text.slice(at, Math.min(end, at + 200)))?.[1] ?? 0);
    } else if (isHead) {
      if (first === '+') {
        path = pathOf(text.slice(at + 4, end));
        if (path !== '') reader.file(path);
      }
    } else if (/^ ?\+/.test(text.slice(at, at + 2))) {
      reader.line(text.slice(at + 1, Math.min(end, at + MAX_LINE)), path, line);
      line += 1;
    }
    at = end + 1;
  }
  return -1;
}

/** `b/PATH`, in quotes if it has unusual characters; empty for a deleted file. */
function pathOf(text: string): string {
  const plain = text.endsWith('\t') ? text.slice(0, -1) : text;
  if (plain === '/dev/null') return '';
  const open = plain.startsWith('"') ? plain.slice(1, -1) : plain;
  return open.replace(/^b\//, '').slice(0, 4096);
}
