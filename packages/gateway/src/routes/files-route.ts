/** `GET /api/files?project=&q=`: completions for `@` in the composer. Names only, never contents. */

import type { FileService } from '@tugdeck/machine/files/file-service';
import { type FoundFile, MAX_FOUND } from '@tugdeck/protocol/files/messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const querySchema = z.object({ project: z.string().min(1).max(100), q: z.string().max(500).default('') });

export function serveFiles(app: FastifyInstance, files: FileService): void {
  app.get('/api/files', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new CodedError('INVALID_MESSAGE');
    const { project, q } = query.data;
    const found: FoundFile[] = await files.open(project).index.find(q, MAX_FOUND);
    const names = found.map(({ path, kind }) => ({ path, kind }));
    return reply.header('cache-control', 'no-store').send({ files: names });
  });
}
