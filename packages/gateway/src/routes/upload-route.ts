/**
 * `POST /api/upload/<session>`: uploads a file that is too large for a frame (S1, X2). The bytes become a base64 blob
 * of the session, and the response is its reference. Origin and sign-in are already checked.
 */
import type { Machine } from '@tugdeck/machine/port';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';

export interface UploadRouteOptions {
  readonly maxBytes: number;
  readonly machine: Pick<Machine, 'storeBlob'>;
}

export function serveUploads(app: FastifyInstance, { maxBytes, machine }: UploadRouteOptions): void {
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: maxBytes },
    (_request, body, done) => done(null, body),
  );
  app.post<{ Params: { session: string } }>(
    '/api/upload/:session',
    { bodyLimit: maxBytes },
    async (request, reply) => {
      if (!Buffer.isBuffer(request.body)) throw new CodedError('INVALID_MESSAGE');
      const text = request.body.toString('base64');
      const { head: _head, tail: _tail, ...ref } = await machine.storeBlob(request.params.session, text);
      // Excerpts of base64 are useless and would be copied with every entry.
      return reply.status(201).send({ ...ref, head: '', tail: '' });
    },
  );
}
