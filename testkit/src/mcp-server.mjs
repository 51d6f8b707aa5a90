// A small MCP server on stdio for tests. Its only tool, `echo`, returns its input, a variable of its environment
// and its directory. Knows no agent.
import { initializeResult, serve } from './mcp-stdio.mjs';

const tool = {
  name: 'echo',
  description: 'Returns its input.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

serve({
  initialize: initializeResult('testkit', { tools: {} }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: given }) => ({
    content: [{ type: 'text', text: `echo: ${given.text}, sign ${process.env.TESTKIT_SIGN ?? 'none'}` }],
  }),
});
