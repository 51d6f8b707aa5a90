/**
 * Looks for a secret in a line of text before it is published (B52, B53). Pure: the page uses it while the user types, the
 * machine before it sends. Only the beginning of a match is kept.
 */
import type { Secret } from './network-messages.ts';

const MAX_LINE = 20_000;
const MAX_FOUND = 50;
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

/** In the title and the text of a pull request. */
export function secretsInPull({ title, body }: { readonly title: string; readonly body: string }): Secret[] {
  const lines = body.split('\n').map((text, index) => ({ text, where: 'text', line: index + 1 }));
  return [{ text: title, where: 'title' }, ...lines]
    .flatMap(({ text, ...place }) => {
      const found = secretIn(text);
      return found ? [{ ...found, ...place }] : [];
    })
    .slice(0, MAX_FOUND);
}
