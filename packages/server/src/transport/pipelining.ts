/**
 * Limits the requests of one connection that wait for their answers (X2). Browsers never send a second one before the first is
 * answered; a program could ask for a thousand large files in one packet, and all of them would be held in memory.
 */
import type { FastifyInstance } from 'fastify';

/** More than one: the next request may be read before the last answer is known to have left. */
export const MAX_PIPELINED = 4;

export function limitPipelining(app: FastifyInstance): void {
  const waiting = new WeakMap<object, number>();
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count <= MAX_PIPELINED) return;
    socket.destroy();
    return reply.hijack();
  });
  app.addHook('onResponse', async ({ raw: { socket } }) => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
  });
}
