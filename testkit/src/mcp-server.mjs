// A small MCP server on stdio for tests: one tool, `echo`, that says what it was given, a variable of its own
// environment and where it runs. Written from the public protocol; knows no agent.
import { createInterface } from 'node:readline';

const tool = {
  name: 'echo',
  description: 'Says what it was given.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'testkit', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: given }) => ({
    content: [{ type: 'text', text: `echo: ${given.text}, sign ${process.env.TESTKIT_SIGN ?? 'none'}` }],
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const answer = answers[method];
  const body = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
