// A small MCP server on stdio for tests: one resource, `notes://today`, and no tools. Writes the methods it was asked for,
// one a line, into the file that `RESOURCE_LOG` names. Knows no agent.
import { appendFileSync } from 'node:fs';
import { answerBy, introduces } from './mcp-answers.mjs';

const resource = { uri: 'notes://today', name: 'Today', mimeType: 'text/plain' };

answerBy(
  {
    initialize: introduces('notes', { resources: {} }),
    'resources/list': () => ({ resources: [resource] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': () => ({ contents: [{ ...resource, text: 'The text of today.' }] }),
  },
  ({ method }) => {
    if (method !== undefined) appendFileSync(process.env.RESOURCE_LOG, `${method}\n`);
  },
);
