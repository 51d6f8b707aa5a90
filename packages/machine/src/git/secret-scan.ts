/**
 * Looks for secrets in commits before they are pushed (B52): in added lines, names of files, messages and the branch
 * name. Pure; only the beginning of a match is kept.
 */
import type { Secret } from '@tugdeck/protocol/git/network-messages';

const MAX_FOUND = 50;
const MAX_LINE = 20_000;
const SHOWN = 4;

const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['Private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ['AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/],
  ['GitLab token', /\bgl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{20,}/],
  ['Slack token', /\bxox[abeprs]-[A-Za-z0-9-]{10,}/],
  ['Stripe key', /\b[rs]k_live_[A-Za-z0-9]{16,}/],
  ['Google API key', /\bAIza[0-9A-Za-z_-]{35}/],
  ['API key', /\bsk-[A-Za-z0-9_-]{32,}/],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}/],
  ['PyPI token', /\bpypi-[A-Za-z0-9_-]{50,}/],
  ['Hugging Face token', /\bhf_[A-Za-z0-9]{30,}/],
  ['JSON Web Token', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/],
  ['Password in an address', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^/\s:@'"]{1,100}:[^/\s@'"$<{]{6,200}@/i],
];
/** A value for a name such as `api_key`, if it looks random. */
const ASSIGNED =
  /(?:secret|token|passw(?:or)?d|api[-_]?key|private[-_]?key|credentials?)["']?\s{0,3}(?:[:=]|=>|:=)\s{0,3}["']?([A-Za-z0-9+/_.=-]{16,200})(?![A-Za-z0-9+/_.(-])/i;
const EXAMPLE = /example|placeholder|changeme|your[-_]|xxxx|\.\.\./i;
const FILES =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.pgpass|\.git-credentials|[^/]+\.(?:p12|pfx|keystore|jks))$/;

export interface Scanned {
  readonly secrets: Secret[];
  /** Changed files, in order. */
  readonly files: string[];
}

export function secretIn(text: string): Pick<Secret, 'kind' | 'begins'> | undefined {
  const line = text.slice(0, MAX_LINE);
  for (const [kind, pattern] of KINDS) {
    const [match] = pattern.exec(line) ?? [];
    if (match !== undefined && !EXAMPLE.test(match)) return { kind, begins: beginOf(match) };
  }
  const value = ASSIGNED.exec(line)?.[1];
  if (value === undefined || EXAMPLE.test(value) || !isRandom(value)) return undefined;
  return { kind: 'Password or key', begins: beginOf(value) };
}

function beginOf(match: string): string {
  return `${match.slice(0, SHOWN)}…`;
}

/** Letters and digits mixed, with few repetitions: not a word, a path or a variable. */
function isRandom(value: string): boolean {
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return new Set(value).size >= Math.min(12, value.length * 0.5);
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
