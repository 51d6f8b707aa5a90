// The stdio of an MCP server of the testkit: one JSON-RPC message a line. Written from the public protocol.
import { createInterface } from 'node:readline';

/** @param {object} message */
export function say(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/**
 * What is answered to `initialize`.
 *
 * @param {string} name
 * @param {object} capabilities
 */
export function introduces(name, capabilities) {
  return ({ protocolVersion }) => ({
    protocolVersion,
    capabilities,
    serverInfo: { name, version: '1.0.0' },
  });
}

/**
 * Answers each request by the function of its method; one that gives `undefined` answers later by itself. Every message
 * is told to `heard` first.
 *
 * @param {Record<string, (params: any, id: unknown) => object | undefined>} answers
 * @param {(message: any) => void} [heard]
 */
export function answerBy(answers, heard) {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    heard?.(message);
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return;
    const answer = { ping: () => ({}), ...answers }[method];
    if (!answer) {
      say({ id, error: { code: -32601, message: 'Method not found' } });
      return;
    }
    const result = answer(params ?? {}, id);
    if (result) say({ id, result });
  });
}
