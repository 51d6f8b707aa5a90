// A small MCP server on stdio for tests: one tool, `echo`, that says what it was given, a variable of its own
// environment and where it runs. Knows no agent.
import { answerBy, introduces } from './mcp-answers.mjs';

const tool = {
  name: 'echo',
  description: 'Says what it was given.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

answerBy({
  initialize: introduces('testkit', { tools: {} }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: given }) => ({
    content: [{ type: 'text', text: `echo: ${given.text}, sign ${process.env.TESTKIT_SIGN ?? 'none'}` }],
  }),
});
