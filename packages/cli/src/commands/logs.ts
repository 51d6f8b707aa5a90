/**
 * `tugdeck logs` (X3): the ends of all logs as one text for a bug report. Secrets are removed again by key, and by
 * pattern anywhere in the text. Logs contain no prompts or answers.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { homedir, platform, release } from 'node:os';
import { join, resolve } from 'node:path';
import { withoutSecrets } from '@tugdeck/local/log';
import { writePrivate } from '@tugdeck/local/private-file';
import { version } from '../install.ts';
import type { Command, Context } from './context.ts';

/** Bytes per file, and number of newest files. */
const TAIL = 64 * 1024;
const FILES = 20;

const SECRETS: readonly RegExp[] = [
  /\/in\/[\w-]{8,}/g,
  /\b(?:sk|pk|ghp|gho|ghs|github_pat|xox[abp]|AIza)[-_][\w-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /\b(?:bearer|basic)\s+[\w+/=.-]{8,}/gi,
  /(?<=(?:secret|token|password|passwd|cookie|api[-_]?key|credential)s?["']?\s*[=:]\s*["']?)[^\s"',;]{4,}/gi,
];

export const logs: Command = async (context) => {
  const { line, from, print, note } = context;
  const text = collect(context);
  const file = line.values.output;
  if (file === undefined) print(text);
  else {
    const path = resolve(from, file);
    writePrivate(path, `${text}\n`);
    note(`Saved to ${path}. Review it before you share it.`);
  }
  return 0;
};

function collect({ settings, environment }: Context): string {
  const { logs: directory } = settings.data;
  const head = `tugdeck ${version()}, node ${process.versions.node}, ${platform()} ${release()} ${process.arch}`;
  const files = listed(directory)
    .map((name) => ({ name, at: statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(0, FILES)
    .map(({ name }) => `==> ${name}\n${clean(tailOf(join(directory, name)))}`);
  const home = environment.HOME || homedir();
  return [head, ...(files.length > 0 ? files : ['No logs yet.'])].join('\n\n').replaceAll(home, '~');
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /\.(log|out|log\.1)$/.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function tailOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, TAIL));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.toString('utf8');
    // Drop the first, incomplete line: a secret in it might not be recognized.
    return size > TAIL ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    closeSync(descriptor);
  }
}

export function clean(text: string): string {
  return text
    .split('\n')
    .map((line) => SECRETS.reduce((cleaned, pattern) => cleaned.replace(pattern, '[removed]'), byKey(line)))
    .join('\n')
    .trimEnd();
}

function byKey(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(line)));
  } catch {
    return line; // Not our own line, or an incomplete one: only the patterns apply.
  }
}
