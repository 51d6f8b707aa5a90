/**
 * `GET /api/browse?path=`: subfolders of a folder, for choosing a project (S4). A signed-in user can run a shell, so
 * nothing is hidden.
 */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { resolveProjectPath } from '@tugdeck/machine/projects/project-path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const querySchema = z.object({ path: z.string().max(4096).default('~') });
const MAX_FOLDERS = 2_000;

export function serveBrowsing(app: FastifyInstance): void {
  app.get('/api/browse', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new CodedError('INVALID_MESSAGE');
    const path = await resolveProjectPath(query.data.path);
    const entries = await readdir(path, { withFileTypes: true });
    const folders: { name: string; isRepository: boolean }[] = [];
    for (const entry of entries) {
      if (folders.length >= MAX_FOLDERS) break;
      const isFolder =
        entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(join(path, entry.name))));
      if (!isFolder) continue;
      folders.push({ name: entry.name, isRepository: await exists(join(path, entry.name, '.git')) });
    }
    folders.sort((a, b) => Number(isHidden(a)) - Number(isHidden(b)) || a.name.localeCompare(b.name));
    const parent = dirname(path);
    return reply
      .header('cache-control', 'no-store')
      .send({ path, folders, ...(parent === path ? {} : { parent }) });
  });
}

const isHidden = ({ name }: { readonly name: string }) => name.startsWith('.');

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // A dangling link.
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
