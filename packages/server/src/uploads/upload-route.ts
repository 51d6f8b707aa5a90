/**
 * `POST /api/upload/<session>`: a file that is too large to travel in a frame (S1, X2). The body is the file's bytes;
 * they become a blob of the session as base64 text, the form in which messages carry files, and the answer is its
 * reference. Origin and sign-in are checked before this, as for everything that writes.
 */
import type { BlobRef } from '@tugdeck/protocol/conversation/entries';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';

export interface UploadRouteOptions {
  readonly maxBytes: number;
  /** Throws a coded error for a session that is not there. */
  readonly store: (session: string, text: string) => BlobRef;
}

export function serveUploads(app: FastifyInstance, { maxBytes, store }: UploadRouteOptions): void {
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: maxBytes },
    (_request, body, done) => done(null, body),
  );
  app.post<{ Params: { session: string } }>(
    '/api/upload/:session',
    { bodyLimit: maxBytes },
    (request, reply) => {
      if (!Buffer.isBuffer(request.body)) throw new CodedError('INVALID_MESSAGE');
      const {
        head: _head,
        tail: _tail,
        ...ref
      } = store(request.params.session, request.body.toString('base64'));
      // The ends of base64 are of no use to anybody and would travel with every copy of the entry.
      return reply.status(201).send({ ...ref, head: '', tail: '' });
    },
  );
}
