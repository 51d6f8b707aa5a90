// A small MCP server on stdio for tests: one resource, `notes://today`, and no tools. Writes the methods it was asked for,
// one a line, into the file that `RESOURCE_LOG` names. Knows no agent.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const resource = { uri: 'notes://today', name: 'Today', mimeType: 'text/plain' };

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { resources: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'resources/list': () => ({ resources: [resource] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': () => ({ contents: [{ ...resource, text: 'The text of today.' }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method !== undefined) appendFileSync(process.env.RESOURCE_LOG, `${method}\n`);
  if (id === undefined || method === undefined) return;
  const answer = answers[method];
  const body = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
