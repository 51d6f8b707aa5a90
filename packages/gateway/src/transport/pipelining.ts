/**
 * Limits pipelined requests per connection (X2). Browsers do not pipeline; a program could request a thousand large
 * files in one packet, and all would be held in memory.
 */
import type { FastifyInstance } from 'fastify';

/** More than one: the next request may arrive before the last response has finished. */
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
