/** `GET /api/places?project=`: the machines that have a project, the one with most free memory first (N17). */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Machines } from '../machines/machines.ts';

const querySchema = z.object({ project: z.string().min(1).max(100) });

export function servePlaces(app: FastifyInstance, machines: Pick<Machines, 'places'>): void {
  app.get('/api/places', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new CodedError('INVALID_MESSAGE');
    return reply
      .header('cache-control', 'no-store')
      .send({ places: await machines.places(query.data.project) });
  });
}
