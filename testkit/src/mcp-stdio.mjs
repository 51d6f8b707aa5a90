// The stdio of the testkit's MCP servers: one JSON-RPC message per line.
import { createInterface } from 'node:readline';

/** @param {object} message */
export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/**
 * The response to `initialize`.
 * @param {string} name
 * @param {object} capabilities
 */
export function initializeResult(name, capabilities) {
  return ({ protocolVersion }) => ({
    protocolVersion,
    capabilities,
    serverInfo: { name, version: '1.0.0' },
  });
}

/**
 * Answers each request with the function for its method; a function that returns `undefined` answers later by itself.
 * Every message is first passed to `onMessage`.
 * @param {Record<string, (params: any, id: unknown) => object | undefined>} handlers
 * @param {(message: any) => void} [onMessage]
 */
export function serve(handlers, onMessage) {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    onMessage?.(message);
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return;
    const answer = { ping: () => ({}), ...handlers }[method];
    if (!answer) {
      send({ id, error: { code: -32601, message: 'Method not found' } });
      return;
    }
    const result = answer(params ?? {}, id);
    if (result) send({ id, result });
  });
}
