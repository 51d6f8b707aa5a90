/**
 * Serves the agent's file requests: only inside the project and its extra directories, after resolving links (X1).
 * Holds the folder open while opening the file, so that it cannot be replaced by a link in between. Returns the
 * protocol's own results and errors.
 */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { numberAt, textAt } from '../kit/fields.ts';
import type { Outcome } from '../kit/peer.ts';
import { ERROR } from '../kit/rpc.ts';

export interface FilesOptions {
  /** Absolute directories. */
  readonly roots: readonly string[];
  readonly maxBytes: number;
  /** For an agent that can only create files this way. */
  readonly missingIsEmpty: () => boolean;
}

const HANDLES = '/proc/self/fd';
const hasHandles = process.platform === 'linux' && existsSync(HANDLES);

export class Files {
  readonly #options: FilesOptions;

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  async read(params: unknown): Promise<Outcome> {
    const path = await this.#confined(textAt(params, 'path'));
    if (path === undefined) return outside(params);
    try {
      // Opening a pipe would block forever.
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      const file = await this.#open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      if (!file) return outside(params);
      try {
        const found = await file.stat();
        if (!found.isFile()) return fault(ERROR.invalidParams, 'This is not a file.');
        const { size } = found;
        if (size > this.#options.maxBytes) {
          return fault(ERROR.invalidParams, `The file is larger than ${this.#options.maxBytes} bytes.`);
        }
        const text = await file.readFile('utf8');
        return { result: { content: cut(text, numberAt(params, 'line'), numberAt(params, 'limit')) } };
      } finally {
        await file.close();
      }
    } catch (error) {
      const missing = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
      if (missing && this.#options.missingIsEmpty()) return { result: { content: '' } };
      return fault(missing ? ERROR.notFound : ERROR.internal, messageOf(error));
    }
  }

  async write(params: unknown): Promise<Outcome> {
    const path = await this.#confined(textAt(params, 'path'));
    const content = textAt(params, 'content');
    if (path === undefined) return outside(params);
    if (content === undefined) return fault(ERROR.invalidParams, 'The content is missing.');
    if (Buffer.byteLength(content) > this.#options.maxBytes) {
      return fault(ERROR.invalidParams, `The content is larger than ${this.#options.maxBytes} bytes.`);
    }
    try {
      await mkdir(dirname(path), { recursive: true });
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
      const file = await this.#open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK);
      if (!file) return outside(params);
      try {
        await file.writeFile(content, 'utf8');
      } finally {
        await file.close();
      }
      return { result: {} };
    } catch (error) {
      return fault(ERROR.internal, messageOf(error));
    }
  }

  /** The real path; undefined if it is outside. Path segments that do not exist yet cannot be links. */
  async #confined(path: string | undefined): Promise<string | undefined> {
    if (path === undefined || !isAbsolute(path) || path.includes('\0')) return undefined;
    const real = await resolved(path);
    return (await this.#isInside(real)) ? real : undefined;
  }

  /** Undefined if the folder has become a link to outside. */
  async #open(path: string, flags: number): Promise<FileHandle | undefined> {
    if (!hasHandles) return open(path, flags, 0o666);
    const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      const place = `${HANDLES}/${folder.fd}`;
      if (!(await this.#isInside(await readlink(place)))) return undefined;
      return await open(join(place, basename(path)), flags, 0o666);
    } finally {
      await folder.close();
    }
  }

  async #isInside(real: string): Promise<boolean> {
    for (const root of this.#options.roots) {
      const realRoot = await realIfThere(root);
      if (realRoot === undefined) continue;
      const inside = relative(realRoot, real);
      const isOut = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
      if (!isOut) return true;
    }
    return false;
  }
}

/** An extra directory may have been removed. */
async function realIfThere(root: string): Promise<string | undefined> {
  try {
    return await realpath(root);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The real path of the nearest existing ancestor, plus the rest. */
async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await resolved(dirname(path)), basename(path));
  }
}

function cut(text: string, line: number | undefined, limit: number | undefined): string {
  if (line === undefined && limit === undefined) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  return text
    .split('\n')
    .slice(from, limit === undefined ? undefined : from + limit)
    .join('\n');
}

function outside(params: unknown): Outcome {
  return fault(ERROR.invalidParams, `${textAt(params, 'path') ?? 'The path'} is not inside the project.`);
}

function fault(code: number, message: string): Outcome {
  return { error: { code, message } };
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
