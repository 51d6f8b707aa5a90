// A small MCP server on stdio for tests: one resource, `notes://today`, and no tools. Writes the methods it
// receives, one per line, to the file named by `RESOURCE_LOG`. Knows no agent.
import { appendFileSync } from 'node:fs';
import { initializeResult, serve } from './mcp-stdio.mjs';

const resource = { uri: 'notes://today', name: 'Today', mimeType: 'text/plain' };

serve(
  {
    initialize: initializeResult('notes', { resources: {} }),
    'resources/list': () => ({ resources: [resource] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': () => ({ contents: [{ ...resource, text: 'The text of today.' }] }),
  },
  ({ method }) => {
    if (method !== undefined) appendFileSync(process.env.RESOURCE_LOG, `${method}\n`);
  },
);
