// A small MCP server on stdio for tests whose one tool, `ask`, asks the user by a form before it answers. Knows no agent.
import { answerBy, introduces, say } from './mcp-answers.mjs';

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
/** The call that waits for what the user says. */
let waiting;

function asks(how) {
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
  say({ id: `asked-${calls}`, method: 'elicitation/create', params });
}

answerBy(
  {
    initialize: introduces('asker', { tools: {} }),
    'tools/list': () => ({ tools: [tool] }),
    'tools/call': ({ arguments: given }, id) => {
      waiting = id;
      asks(given?.how);
      return undefined;
    },
  },
  ({ method, result, error }) => {
    if (method !== undefined || waiting === undefined) return;
    const text = `heard ${JSON.stringify(result ?? error)}`;
    say({ id: waiting, result: { content: [{ type: 'text', text }] } });
    waiting = undefined;
  },
);
