/**
 * Serves the built page from disk, never outside its folder. Files under `/assets/` and `/drawing/` have their
 * content hash in the name and are cached forever.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface PageFile {
  readonly body: Buffer;
  readonly type: string;
  readonly caching: string;
  readonly encoding: string | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

/** Plain names only: no dot files, no `..`, no encoding. */
const NAME = /^\/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const PRECOMPRESSED = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
];

export function findPageFile(root: string, path: string, accepted: string): PageFile | undefined {
  const name = path === '/' ? '/index.html' : path;
  const type = TYPES[extname(name)];
  if (!NAME.test(name) || !type) return undefined;
  const file = join(root, name);
  const caching = /^\/(?:assets|drawing)\//.test(name) ? 'private, max-age=31536000, immutable' : 'no-cache';
  for (const { encoding, suffix } of PRECOMPRESSED) {
    if (!accepted.includes(encoding)) continue;
    const body = readIfExists(file + suffix);
    if (body) return { body, type, caching, encoding };
  }
  const body = readIfExists(file);
  return body && { body, type, caching, encoding: undefined };
}

/**
 * Synchronous: reading a small cached file is faster than four hand-offs to the thread pool, which take tens of
 * milliseconds on a busy machine.
 */
function readIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Names of the page's hashed files; none if it is not built. */
export function pageAssets(root: string): string[] {
  try {
    return readdirSync(join(root, 'assets'));
  } catch {
    return [];
  }
}
