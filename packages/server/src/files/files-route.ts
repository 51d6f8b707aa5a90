/** `GET /api/files?project=&q=`: what `@` completes in the composer. Names only, never contents. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { FoundFile } from './file-finder.ts';

const querySchema = z.object({ project: z.string().min(1).max(100), q: z.string().max(500).default('') });
const MOST = 50;

export interface FilesRouteOptions {
  /** The directory of a project; throws a coded error for one that is not there. */
  readonly directoryOf: (project: string) => string;
  readonly find: (directory: string, query: string, most: number) => Promise<FoundFile[]>;
}

export function serveFiles(app: FastifyInstance, { directoryOf, find }: FilesRouteOptions): void {
  app.get('/api/files', async (request, reply) => {
    const asked = querySchema.safeParse(request.query);
    if (!asked.success) throw new CodedError('INVALID_MESSAGE');
    const files = await find(directoryOf(asked.data.project), asked.data.q, MOST);
    return reply.header('cache-control', 'no-store').send({ files });
  });
}
