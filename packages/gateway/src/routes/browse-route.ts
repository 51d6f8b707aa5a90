/** `GET /api/browse?path=`: subfolders of a folder, for choosing a project (S4). */
import type { Machine } from '@tugdeck/machine/port';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const querySchema = z.object({ path: z.string().max(4096).default('~') });

export function serveBrowsing(app: FastifyInstance, machine: Pick<Machine, 'browse'>): void {
  app.get('/api/browse', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new CodedError('INVALID_MESSAGE');
    return reply.header('cache-control', 'no-store').send(await machine.browse(query.data.path));
  });
}
