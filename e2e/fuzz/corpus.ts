/**
 * Inputs that once caused a fault, one file each: a target's name and the lines. Every test run repeats them, and
 * `npm run fuzz` adds its findings.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from './campaign.ts';

export interface Kept {
  readonly target: string;
  /** The fault, in a few words. */
  readonly what: string;
  readonly lines: readonly string[];
}

const FOLDER = fileURLToPath(new URL('corpus/', import.meta.url));

export function corpus(folder = FOLDER): Kept[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Kept);
}

/** Returns the file's name. */
export function keep({ target, what, lines }: Finding, folder = FOLDER): string {
  const text = `${JSON.stringify({ target, what: what.split('\n')[0] ?? '', lines }, undefined, 2)}\n`;
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const name = `${target.replace(/[^a-z]+/gi, '-').toLowerCase()}-${mark}.json`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return name;
}
