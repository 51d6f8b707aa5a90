/**
 * `GET /api/brought?project=&agent=`: the project configuration that the page shows in the trust question (X6). The
 * path is kept for older pages.
 */
import type { Machine } from '@tugdeck/machine/port';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const querySchema = z.object({ project: z.string().min(1).max(100), agent: z.string().min(1).max(50) });

export function serveTrust(app: FastifyInstance, machine: Pick<Machine, 'describeConfig'>): void {
  app.get('/api/brought', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new CodedError('INVALID_MESSAGE');
    const answer = await machine.describeConfig(query.data.project, query.data.agent);
    return reply.header('cache-control', 'no-store').send(answer);
  });
}
