/**
 * Permission rules that the user saved with "Always allow". Agents write them into the project, where they would look
 * like an unreviewed change (X6). Session hosts record them here, and comparisons ignore them.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { isInstructions } from '@tugdeck/protocol/trust/project-config';
import type { Finding } from './findings.ts';

/** A larger file is not read, and the user is asked instead. */
const MAX_FILE = 4 * 1024 * 1024;

export interface SavedRule {
  readonly effect: 'allow-once' | 'allow-always' | 'reject-once' | 'reject-always';
  readonly rule?: string | undefined;
  readonly file?: string | undefined;
}

/** The rules as they appear in findings. */
export function savedRules({ effect, rule, file }: SavedRule): string[] {
  if (rule === undefined || file === undefined || effect.endsWith('-once')) return [];
  if (rule.startsWith('mode ')) return [`defaultMode: ${rule.slice(5)}`];
  if (rule.startsWith('directory ')) {
    return rule
      .slice(10)
      .split(', ')
      .map((directory) => `additionalDirectories ${directory}`);
  }
  const word = effect === 'allow-always' ? 'allow' : 'deny';
  // A rule may contain a comma: match it as a whole and in parts.
  return [...new Set([rule, ...rule.split(', ')])].map((one) => `${word} ${one}`);
}

export function recordGrants(dataRoot: string, directory: string, rules: readonly string[]): void {
  const lines = rules.map((rule) => `${JSON.stringify({ directory, rule })}\n`);
  appendFileSync(fileIn(dataRoot), lines.join(''), { mode: 0o600 });
}

/** Rules saved in sessions of the included directories. */
export function readGrants(dataRoot: string, isIncluded: (directory: string) => boolean): Set<string> {
  const text = readBoundedText(fileIn(dataRoot), { maxBytes: MAX_FILE }) ?? '';
  const rules = text.split('\n').flatMap((line) => {
    try {
      const { directory, rule } = JSON.parse(line) as { directory?: unknown; rule?: unknown };
      return typeof directory === 'string' && typeof rule === 'string' && isIncluded(directory) ? [rule] : [];
    } catch {
      return []; // The last line, or an incomplete one.
    }
  });
  return new Set(rules);
}

/** Whether the two differ only by rules that the user saved. */
export function differsOnlyByGrants(
  now: readonly Finding[],
  before: readonly Finding[],
  granted: ReadonlySet<string>,
): boolean {
  const key = ({ kind, path, name, digest }: Finding) => JSON.stringify([kind, path, name, digest]);
  const known = new Set(before.map(key));
  const still = new Set(now.map(key));
  const isGranted = ({ kind, text }: Finding) => kind === 'rule' && granted.has(text);
  const added = now.filter((finding) => !known.has(key(finding)) && !isInstructions(finding));
  const gone = before.filter((finding) => !still.has(key(finding)) && !isInstructions(finding));
  // A newly chosen mode replaces the previous one.
  return (
    added.every(isGranted) &&
    gone.every(({ kind, name }) => kind === 'rule' && added.some((one) => one.name === name))
  );
}

function fileIn(dataRoot: string): string {
  return join(dataRoot, 'grants.jsonl');
}
