/**
 * One holder per lock file, which names its process (N1). The lock of a holder that is gone is taken over; of two that try at
 * once, one wins. A holder whose pid means nothing here is judged by its lease: it writes through its descriptor
 * every `leaseMs`, so that the file system dates the file, and the date is compared with that of a file made just now beside
 * it. So no clocks of two machines are compared. A holder that lost its lock finds that the file has no name any more (N2).
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
  /** Called once when the lock turns out to be another's: whatever it guards must not be touched again. */
  readonly lost?: (() => void) | undefined;
}

export interface Lock {
  /** Looks now. Called before everything that only the holder may do. */
  isHeld(): boolean;
  release(): void;
}

/** Throws SESSION_LOCKED while a living process, this one included, holds it. */
export function takeLock(file: string, { timings = DEFAULT_TIMINGS, lost }: LockOptions = {}): Lock {
  makePrivate(dirname(file));
  // The name makes each taking its own, also within one process.
  const text = JSON.stringify({ ...ownIdentity(), name: randomUUID() });
  return new HeldLock(file, text, claim(file, text, timings), timings, lost);
}

/**
 * Takes the lock away from this holder, and from no other: it ends itself when it looks at its lock the next time.
 * Only for a holder that cannot be reached otherwise.
 */
export function breakLock(file: string, holder: ProcessIdentity): void {
  const text = contents(file);
  const named = text === undefined ? undefined : holderOf(text);
  if (text !== undefined && named && isSameProcess(named, holder)) removeLock(file, text);
}

/** Who holds it according to the file, dead or alive. */
export function lockHolder(file: string): ProcessIdentity | undefined {
  const text = contents(file);
  return text === undefined ? undefined : holderOf(text);
}

/**
 * For a holder that is not judged by its pid. True where there is no lock at all, false where the file system takes nothing
 * to compare it with.
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
      // A full disk takes nobody's lock away. One that stays full lets the lease run out; then the check above tells.
    }
  }

  #hasName(): boolean {
    try {
      return fstatSync(this.#descriptor).nlink > 0;
    } catch {
      return false; // A network file system says so of a file that was removed elsewhere.
    }
  }

  #close(): void {
    clearInterval(this.#timer);
    closeSync(this.#descriptor);
  }
}

/** The lock appears with its whole text or not at all. Gives the descriptor of the file. */
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

/** Says where the holder is, for it cannot be found among the processes here. */
export function lockedElsewhere(holder: ProcessIdentity): CodedError {
  return new CodedError(
    'SESSION_LOCKED',
    `This is in use by a process ${describePlace(holder)}.`,
    'End it there, or run tugdeck stop --all here. If it was killed, try again in two minutes.',
  );
}

/** Removes exactly this lock. False where another one turned out to be there, which then stays. */
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
    // Another took it over between our look and the rename: it gets it back, unless a third was faster.
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
  // The file system's clock was set back: the time counts from now on, or it would never run out.
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

/** False where the name is taken. */
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
