/**
 * A lock file with one holder, which it names (N1). The lock of a dead holder is taken over; if two processes try at
 * the same time, one wins. A holder whose pid has no meaning here is checked by its lease: it writes to the file
 * every `leaseMs`, so that the file system sets the modification time, which is compared with that of a file just
 * created beside it. Clocks of two machines are thus never compared. A holder that lost its lock sees that its file
 * is unlinked (N2).
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { makePrivate } from './data-directory.ts';
import { DEFAULT_TIMINGS, type Timings } from './default-timings.ts';
import { describePlace, whereabouts } from './place.ts';
import {
  isProcessIdentity,
  isRunning,
  isSameProcess,
  ownIdentity,
  type ProcessIdentity,
} from './process-identity.ts';
import { parseShape } from './shape.ts';

export type LeaseTimings = Pick<Timings, 'leaseMs' | 'leaseExpiryMs'>;

export interface LockOptions {
  readonly timings?: LeaseTimings | undefined;
  /** Called once when another process has taken the lock: the protected files must not be changed again. */
  readonly lost?: (() => void) | undefined;
}

export interface Lock {
  /** Checks now. Call before everything that only the holder may do. */
  isHeld(): boolean;
  release(): void;
}

/** Throws SESSION_LOCKED while a live process, including this one, holds it. */
export function takeLock(file: string, { timings = DEFAULT_TIMINGS, lost }: LockOptions = {}): Lock {
  makePrivate(dirname(file));
  // A unique name per call, even within one process.
  const text = JSON.stringify({ ...ownIdentity(), name: randomUUID() });
  return new HeldLock(file, text, claim(file, text, timings), timings, lost);
}

/**
 * Takes the lock from this holder and no other; the holder exits at its next check. Only for a holder that cannot be
 * reached otherwise.
 */
export function breakLock(file: string, holder: ProcessIdentity): void {
  const text = contents(file);
  const named = text === undefined ? undefined : holderOf(text);
  if (text !== undefined && named && isSameProcess(named, holder)) removeLock(file, text);
}

/** The holder that the file names, dead or alive. */
export function lockHolder(file: string): ProcessIdentity | undefined {
  const text = contents(file);
  return text === undefined ? undefined : holderOf(text);
}

/**
 * For a holder whose pid cannot be checked. True without a lock; false if the file system accepts no file to compare
 * with.
 */
export function isLeaseExpired(file: string, expiryMs: number): boolean {
  const probe = `${file}.${randomUUID()}`;
  let descriptor: number;
  try {
    descriptor = openSync(probe, 'wx', 0o600);
  } catch (error) {
    return isMissing(error);
  }
  try {
    return isExpired(file, descriptor, expiryMs);
  } finally {
    closeSync(descriptor);
    unlinkSync(probe);
  }
}

class HeldLock implements Lock {
  readonly #file: string;
  readonly #text: string;
  readonly #descriptor: number;
  readonly #timer: NodeJS.Timeout;
  readonly #lost: (() => void) | undefined;
  #state: 'held' | 'lost' | 'released' = 'held';

  constructor(
    file: string,
    text: string,
    descriptor: number,
    { leaseMs }: LeaseTimings,
    lost: (() => void) | undefined,
  ) {
    this.#file = file;
    this.#text = text;
    this.#descriptor = descriptor;
    this.#lost = lost;
    this.#timer = setInterval(() => this.#refresh(), leaseMs).unref();
  }

  isHeld(): boolean {
    if (this.#state === 'held' && !this.#hasName()) {
      this.#state = 'lost';
      this.#close();
      this.#lost?.();
    }
    return this.#state === 'held';
  }

  release(): void {
    if (this.isHeld()) {
      if (contents(this.#file) === this.#text) unlinkSync(this.#file);
      this.#close();
    }
    this.#state = 'released';
  }

  #refresh(): void {
    if (!this.isHeld()) return;
    try {
      writeSync(this.#descriptor, this.#text, 0);
    } catch {
      // A full disk does not lose the lock. If it stays full, the lease expires and the check above reports it.
    }
  }

  #hasName(): boolean {
    try {
      return fstatSync(this.#descriptor).nlink > 0;
    } catch {
      return false; // ESTALE: the file was removed by another client of a network file system.
    }
  }

  #close(): void {
    clearInterval(this.#timer);
    closeSync(this.#descriptor);
  }
}

/** Creates the lock with its complete text or not at all. Returns the file's descriptor. */
function claim(file: string, text: string, { leaseExpiryMs }: LeaseTimings): number {
  const draft = `${file}.${randomUUID()}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  let isClaimed = false;
  try {
    writeSync(descriptor, text, 0);
    isClaimed = linkTo(draft, file);
    if (!isClaimed) {
      removeStale(file, descriptor, leaseExpiryMs);
      isClaimed = linkTo(draft, file);
    }
    if (!isClaimed) throw new CodedError('SESSION_LOCKED');
    return descriptor;
  } finally {
    unlinkSync(draft);
    if (!isClaimed) closeSync(descriptor);
  }
}

function removeStale(file: string, draft: number, expiryMs: number): void {
  const text = contents(file);
  if (text === undefined) return;
  const holder = holderOf(text);
  if (holder) throwIfAlive(holder, file, draft, expiryMs);
  if (!removeLock(file, text)) throw new CodedError('SESSION_LOCKED');
}

function throwIfAlive(holder: ProcessIdentity, file: string, draft: number, expiryMs: number): void {
  const where = whereabouts(holder);
  if (where === 'here' && isRunning(holder)) throw new CodedError('SESSION_LOCKED');
  if (where !== 'elsewhere' || isExpired(file, draft, expiryMs)) return;
  throw lockedElsewhere(holder);
}

/** Describes where the holder runs, because it is not among the processes here. */
export function lockedElsewhere(holder: ProcessIdentity): CodedError {
  return new CodedError(
    'SESSION_LOCKED',
    `In use by a process ${describePlace(holder)}.`,
    'Stop it there, or run tugdeck stop --all here. If it was killed, try again in two minutes.',
  );
}

/** Removes exactly this lock. Returns false if the file was a different lock, which is kept. */
function removeLock(file: string, text: string): boolean {
  if (contents(file) !== text) return false;
  const away = `${file}.${randomUUID()}`;
  try {
    renameSync(file, away);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
  try {
    if (contents(away) === text) return true;
    // Another process took the lock between our check and the rename: restore it, unless a third was faster.
    linkTo(away, file);
    return false;
  } finally {
    unlinkSync(away);
  }
}

function isExpired(file: string, fresh: number, expiryMs: number): boolean {
  const lock = statSync(file, { throwIfNoEntry: false });
  if (!lock) return true;
  const now = fstatSync(fresh).mtime;
  const age = now.getTime() - lock.mtime.getTime();
  // The file system's clock was set back: restart the lease now, or it would never expire.
  if (age < 0) touch(file, now);
  return age > expiryMs;
}

function touch(file: string, at: Date): void {
  try {
    utimesSync(file, at, at);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Returns false if the name is taken. */
function linkTo(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** One taking of the lock. */
interface Taking extends ProcessIdentity {
  readonly name?: string | undefined;
}
const isTaking = (value: unknown): value is Taking => isProcessIdentity(value);

/** Half a lock names nobody. */
function holderOf(text: string): ProcessIdentity | undefined {
  const { name: _, ...holder } = parseShape(text, isTaking) ?? {};
  return isProcessIdentity(holder) ? holder : undefined;
}

function contents(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
