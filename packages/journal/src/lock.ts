/**
 * One writer per session: a file that names its process by pid and start time. The lock of a process that
 * is gone is taken over; of two that try at once, one wins.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivate } from '@tugdeck/local/data-directory';
import {
  identify,
  isRunning,
  type ProcessIdentity,
  processIdentitySchema,
} from '@tugdeck/local/process-identity';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { isMissing } from './files.ts';

export interface Lock {
  release(): void;
}

/** Throws SESSION_LOCKED while a living process, this one included, holds it. */
export function takeLock(file: string): Lock {
  const self = identify(process.pid);
  if (!self) throw new Error('this process cannot be identified');
  makePrivate(dirname(file));
  // The name makes each taking its own, also within one process.
  const text = JSON.stringify({ ...self, name: randomUUID() });
  if (!claim(file, text)) {
    removeStale(file);
    if (!claim(file, text)) throw new CodedError('SESSION_LOCKED');
  }
  return {
    release() {
      if (contents(file) === text) unlinkSync(file);
    },
  };
}

/** The lock appears with its whole text or not at all. */
function claim(file: string, text: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
}

function removeStale(file: string): void {
  const text = contents(file);
  if (text === undefined) return;
  const holder = holderOf(text);
  if (holder && isRunning(holder)) throw new CodedError('SESSION_LOCKED');
  const away = `${file}.${randomUUID()}`;
  try {
    renameSync(file, away);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  try {
    // Another may have taken it over between our look and the rename: then it gets it back.
    if (contents(away) !== text) linkSync(away, file);
  } finally {
    unlinkSync(away);
  }
}

function holderOf(text: string): ProcessIdentity | undefined {
  try {
    return processIdentitySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Half a lock names nobody.
  }
}

function contents(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
