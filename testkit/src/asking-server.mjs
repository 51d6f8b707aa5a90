// A small MCP server on stdio for tests. Its only tool, `ask`, shows the user a form before it answers. Knows no
// agent.
import { initializeResult, send, serve } from './mcp-stdio.mjs';

const tool = {
  name: 'ask',
  description: 'Asks the user.',
  inputSchema: { type: 'object', properties: { how: { type: 'string' } } },
};
const requestedSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2 },
    age: { type: 'integer', title: 'Age', minimum: 1 },
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
    sure: { type: 'boolean', title: 'Sure', default: true },
  },
  required: ['name'],
};

let calls = 0;
/** The call that waits for the user's answer. */
let waiting;

function elicit(how) {
  calls += 1;
  const params =
    how === 'url'
      ? {
          mode: 'url',
          message: 'Open the page',
          url: 'https://example.org/page',
          elicitationId: `page-${calls}`,
        }
      : { message: 'Who are you?', requestedSchema };
  send({ id: `asked-${calls}`, method: 'elicitation/create', params });
}

serve(
  {
    initialize: initializeResult('asker', { tools: {} }),
    'tools/list': () => ({ tools: [tool] }),
    'tools/call': ({ arguments: given }, id) => {
      waiting = id;
      elicit(given?.how);
      return undefined;
    },
  },
  ({ method, result, error }) => {
    if (method !== undefined || waiting === undefined) return;
    const text = `heard ${JSON.stringify(result ?? error)}`;
    send({ id: waiting, result: { content: [{ type: 'text', text }] } });
    waiting = undefined;
  },
);
