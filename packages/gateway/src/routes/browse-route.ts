/** `GET /api/browse?path=[&machine=]`: subfolders of a folder, for choosing a project (S4). */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Machines } from '../machines/machines.ts';

const querySchema = z.object({
  path: z.string().max(4096).default('~'),
  machine: z.string().min(1).max(100).optional(),
});

export function serveBrowsing(app: FastifyInstance, machines: Pick<Machines, 'browse'>): void {
  app.get('/api/browse', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new CodedError('INVALID_MESSAGE');
    return reply
      .header('cache-control', 'no-store')
      .send(await machines.browse(query.data.path, query.data.machine));
  });
}
