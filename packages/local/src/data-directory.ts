/** Paths and modes of the private data directory. Knows nothing about the contents. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { checkOwn, checkOwnDirectory } from './ownership.ts';

export interface DataDirectory {
  readonly root: string;
  readonly config: string;
  /** The user's keyboard shortcuts; edited by hand. */
  readonly keys: string;
  /** The list of agents, once the user downloaded a newer one (A23). */
  readonly registry: string;
  /** Contains only a hash (X1). */
  readonly password: string;
  readonly database: string;
  /** May be deleted at any time (S6). */
  readonly search: string;
  /** Locks, ledger and small files of the running processes. */
  readonly run: string;
  readonly ledger: string;
  /** Where a proxy on this machine can connect (N50). */
  readonly proxySocket: string;
  readonly logs: string;
  /** Turn trees of projects, and worktrees created for sessions. */
  readonly trees: string;
  readonly worktrees: string;
  /** Archived workspaces. */
  readonly archive: string;
  /** Changes carried from one worktree to another, one file each, so that they can be finished and undone. */
  readonly carries: string;
  session(id: string): SessionDirectory;
  /** Long texts of an external session, while a page reads it. */
  foreign(id: string): Pick<SessionDirectory, 'blobs'>;
}

export interface SessionDirectory {
  readonly root: string;
  readonly journal: string;
  readonly blobs: string;
  readonly raw: string;
  readonly lock: string;
  /** Which tree the project had at the start and end of each turn, one line each. */
  readonly trees: string;
  /** Restores of files, one file each. */
  readonly restores: string;
  /** Saves of the user in the editor during its turns. */
  readonly saves: string;
  /** Viewed, accepted and commented hunks of its review. */
  readonly review: string;
}

export function defaultDataDirectory(environment: NodeJS.ProcessEnv): string {
  const home = environment.HOME || homedir();
  if (environment.TUGDECK_DATA_DIR) return resolve(environment.TUGDECK_DATA_DIR);
  if (platform() === 'darwin') return join(home, 'Library', 'Application Support', 'tugdeck');
  if (platform() === 'win32') {
    return join(environment.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'tugdeck');
  }
  return join(environment.XDG_DATA_HOME || join(home, '.local', 'share'), 'tugdeck');
}

const OTHER_PLACE = 'Fix its owner, or choose another with --data-dir.';
const SESSION_ID = /^[0-9a-zA-Z][0-9a-zA-Z-]{0,63}$/;

export function dataDirectory(root: string): DataDirectory {
  return {
    root,
    config: join(root, 'config.json'),
    keys: join(root, 'keys.json'),
    registry: join(root, 'agent-registry.json'),
    password: join(root, 'password.json'),
    database: join(root, 'tugdeck.db'),
    search: join(root, 'search.db'),
    run: join(root, 'run'),
    ledger: join(root, 'run', 'ledger'),
    proxySocket: join(root, 'run', 'proxy.sock'),
    logs: join(root, 'logs'),
    trees: join(root, 'trees'),
    worktrees: join(root, 'worktrees'),
    archive: join(root, 'archive'),
    carries: join(root, 'carries'),
    foreign: (id) => ({ blobs: join(root, 'cache', 'foreign', segment(id)) }),
    session(id) {
      const directory = join(root, 'sessions', segment(id));
      return {
        root: directory,
        journal: join(directory, 'journal'),
        blobs: join(directory, 'blobs'),
        raw: join(directory, 'raw.jsonl'),
        lock: join(directory, 'lock'),
        trees: join(directory, 'trees.jsonl'),
        restores: join(directory, 'restores'),
        saves: join(directory, 'saves.jsonl'),
        review: join(directory, 'review.json'),
      };
    },
  };
}

/** Ids become path segments, so nothing else may pass. */
function segment(id: string): string {
  if (!SESSION_ID.test(id)) throw new Error('not a session id');
  return id;
}

/** Creates a directory that only its owner can enter. */
export function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Like `makePrivate`, for the data directory itself: failures are reported to the user who chose it. */
export function makeDataDirectory(root: string): void {
  try {
    // Creates nothing in a directory where others could replace it.
    if (!existsSync(root)) checkOwnDirectory(root);
    makePrivate(root);
    accessSync(root, constants.W_OK);
    checkOwnDirectory(root);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CodedError(
      'DATA_UNWRITABLE',
      `${root} cannot be created or written to (${code}).`,
      OTHER_PLACE,
    );
  }
}

/** Entries of the data directory that we read and rely on. Deeper files are as safe as the directory around them. */
const RELIED_ON = [
  'config.json',
  'keys.json',
  'password.json',
  'tugdeck.db',
  'tugdeck.db-wal',
  'tugdeck.db-shm',
  'search.db',
  'search.db-wal',
  'search.db-shm',
  'run',
  'run/ledger',
  'run/server.lock',
  'run/runtime.json',
  'sessions',
  'trees',
  'worktrees',
  'archive',
  'logs',
  'cache',
  'trash',
  'saves',
  'fleet',
  'fleet/keys.json',
];

/**
 * Throws DATA_UNSAFE unless the data directory and everything we rely on in it belongs to this user (X9). Every
 * command calls it before it reads anything. A directory that does not exist yet passes.
 */
export function checkDataDirectory(root: string): void {
  try {
    checkOwnDirectory(root);
    for (const name of RELIED_ON) checkOwn(join(root, name));
  } catch (error) {
    if (error instanceof CodedError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CodedError('DATA_UNREADABLE', `${root} cannot be read (${code}).`, OTHER_PLACE);
  }
}
