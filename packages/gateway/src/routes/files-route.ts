/** `GET /api/files?project=&q=`: completions for `@` in the composer. Names only, never contents. */

import type { MachineFiles } from '@tugdeck/machine/port';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const querySchema = z.object({ project: z.string().min(1).max(100), q: z.string().max(500).default('') });

export function serveFiles(app: FastifyInstance, files: MachineFiles): void {
  app.get('/api/files', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new CodedError('INVALID_MESSAGE');
    const { project, q } = query.data;
    return reply.header('cache-control', 'no-store').send({ files: await files.find(project, q) });
  });
}
