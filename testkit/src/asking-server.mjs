// A small MCP server on stdio for tests whose one tool, `ask`, asks the user by a form before it answers. Written from
// the public protocol; knows no agent.
import { createInterface } from 'node:readline';

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

/** @param {object} message */
function say(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

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

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'asker', version: '1.0.0' };
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') say({ id, result: { tools: [tool] } });
  else if (method === 'ping') say({ id, result: {} });
  else if (method === 'tools/call') {
    waiting = id;
    asks(params.arguments?.how);
  } else if (method === undefined && waiting !== undefined) {
    const text = `heard ${JSON.stringify(result ?? error)}`;
    say({ id: waiting, result: { content: [{ type: 'text', text }] } });
    waiting = undefined;
  }
});
