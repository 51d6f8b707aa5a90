/**
 * `POST /api/answer?session=&entry=&shown=&behavior=`: a button of a notification (N52). Everything is in the address,
 * which the request's proof covers.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Notifier } from '../push/notifier.ts';

const text = z.string().min(1).max(200);
const querySchema = z.object({
  session: text,
  entry: text,
  shown: text,
  behavior: z.enum(['allow', 'deny']),
});

export function serveAnswers(
  app: FastifyInstance,
  notifier: Pick<Notifier, 'answer'>,
  signInOf: (request: FastifyRequest) => string | undefined,
): void {
  app.post('/api/answer', async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    const signIn = signInOf(request);
    if (!query.success || signIn === undefined) throw new CodedError('INVALID_MESSAGE');
    await notifier.answer(signIn, query.data);
    return reply.status(204).send();
  });
}
