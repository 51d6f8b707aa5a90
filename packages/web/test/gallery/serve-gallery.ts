/**
 * Builds the gallery like the production page and serves it under the server's CSP, so that a violation is a
 * console error in every browser test.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { policyOf } from '@tugdeck/gateway/transport/security-headers';
import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import { build } from 'vite';
import { pageFiles } from '../../page-files.ts';

const web = fileURLToPath(new URL('../../', import.meta.url));
const cache = path.join(web, '../../.cache/gallery');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";

const trusted: ProjectConfig = {
  state: 'trusted',
  brought: [],
  cut: false,
  canLeaveOut: true,
  readsNone: false,
  repository: '/work/project',
  hash: 'nothing',
};
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/browse': { path: '/', folders: [{ name: 'home', isRepository: false }] },
  '/api/brought': trusted,
};

export interface Gallery {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveGallery(): Promise<Gallery> {
  const outDir = await builtGallery();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const answer = ANSWERS[pathname];
    if (answer) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return;
    }
    // Chromium requests it on pages without an icon; a 404 would count as an error.
    if (pathname === '/favicon.ico') {
      response.writeHead(204).end();
      return;
    }
    if (pathname === '/blank') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end();
      return;
    }
    const file = path.join(outDir, pathname === '/' ? 'test/gallery/index.html' : path.normalize(pathname));
    try {
      const body = await readFile(file);
      response.writeHead(200, {
        'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
        // Like the server: files with a content hash are fetched and compiled once per context.
        ...(pathname.startsWith('/assets/')
          ? { 'cache-control': 'public, max-age=31536000, immutable' }
          : {}),
        'content-security-policy': pathname.startsWith('/drawing/') ? policyOf(pathname) : POLICY,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/**
 * The built gallery; the first test file builds it, the others reuse it. The folder is renamed into place, so that
 * no test serves a partial build.
 */
async function builtGallery(): Promise<string> {
  const target = path.join(cache, await fingerprint());
  if (existsSync(target)) return target;
  await mkdir(cache, { recursive: true });
  const older = await readdir(cache);
  const outDir = await mkdtemp(path.join(cache, 'building-'));
  await build({
    root: web,
    configFile: path.join(web, 'vite.config.ts'),
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      reportCompressedSize: false,
      rolldownOptions: {
        input: path.join(web, 'test/gallery/index.html'),
        output: { codeSplitting: { groups: pageFiles('test/gallery/gallery.ts') } },
      },
    },
  });
  try {
    await rename(outDir, target);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(target)) throw error;
    await rm(outDir, { recursive: true, force: true });
  }
  for (const name of older.filter((one) => !target.endsWith(one) && !one.startsWith('building-')))
    await rm(path.join(cache, name), { recursive: true, force: true });
  return target;
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['web', 'client', 'protocol']) {
    const root = path.join(web, '..', folder);
    for (const part of ['src', 'test/gallery', 'package.json', 'vite.config.ts']) {
      const full = path.join(root, part);
      if (!existsSync(full)) continue;
      const isFolder = (await stat(full)).isDirectory();
      const names = isFolder ? await readdir(full, { recursive: true }) : [''];
      for (const name of names.sort()) {
        const { size, mtimeMs } = await stat(path.join(full, name));
        hash.update(`${folder}/${part}/${name}\0${size}\0${mtimeMs}\n`);
      }
    }
  }
  return hash.digest('hex').slice(0, 16);
}
